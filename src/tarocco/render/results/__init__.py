"""One file per kind of result: its tables, footnotes and sentences."""
