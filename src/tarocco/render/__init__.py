"""Turns results into tables, figures and pages.

tables     tables and sections as text, Markdown, LaTeX, TSV, or for a terminal
terminal   progress bars, and text that cannot control a terminal
terms      what a term means, in one sentence
results/   one presenter per kind of result
plots/     figures
page/      the HTML report
export     scores as files for other programs
"""
