"""How many references are enough: `tarocco references`."""
