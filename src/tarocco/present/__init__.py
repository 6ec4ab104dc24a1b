"""From results to what a person or a program reads.

tables   a table as text, Markdown, LaTeX, or for a terminal
scores   the scores of systems as tables, JSON, TSV and CSV
"""
