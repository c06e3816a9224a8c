"""Importers: one file a source, each with its units, orders and directions written down."""
