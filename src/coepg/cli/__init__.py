"""The command line. Modules here import heavy parts only when a command runs."""
