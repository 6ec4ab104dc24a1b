"""Audit the data before judging anything: twelve checks of texts, human scores and settings.

findings    the records: `DataFinding` and `DataAudit`
texts       what every check of texts starts from: letters, equal segments, similarities between all columns
text_checks copies, edited references, case, tokenization, truncation, language, shifted lines
label_checks   human scores: swapped labels, reversed sign, outliers, duplicates
setup_checks   tokenizer, English resources, amount of data
check       all checks together, and the public function `tarocco.check`
"""
