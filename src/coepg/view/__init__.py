"""What a person looks at: the table in the terminal and the report page. Imports no torch."""
