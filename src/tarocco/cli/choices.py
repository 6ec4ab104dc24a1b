"""What options may be, as words: the parser needs no NumPy to know them. A test compares them with the real lists."""

TOKENIZERS = ("none", "13a", "intl", "char", "zh", "rouge")
LEVELS = ("corpus", "document", "segment")
FORMATS = ("table", "json", "tsv", "csv", "latex", "md")
ITEMS = ("system", "segment", "document")  # what is correlated
GROUPINGS = ("none", "item", "system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")
LABELS = ("own", "iqmt")
