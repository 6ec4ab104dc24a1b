"""Turns results into tables, figures and pages.

tables     a table as text, Markdown, LaTeX, or for a terminal
sections   headings, tables and sentences that fit a terminal
terminal   progress bars, and text that cannot control a terminal
results/   one file per kind of result
plots/     figures
page/      the HTML report
export     the scores of a store as CSV, JSONL and Parquet
"""
