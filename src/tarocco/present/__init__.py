"""From results to what a person or a program reads.

progress   a bar on a terminal
tables     a table as text, Markdown, LaTeX, or for a terminal
visible    text that cannot act upon a terminal
spreadsheets  cells that no spreadsheet takes for a formula
writing    files that are whole or not there
plots/     figures
scores     the scores of systems as tables, JSON, TSV and CSV
export     the scores in a store as CSV, JSONL and Parquet
mt_metrics_eval  scores in its layout
confusions where a metric puts machines above people: JSON lines, or a page (confusion_page)
sheets     cases for a person to judge blind, and their key
"""
