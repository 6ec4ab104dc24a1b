"""Reads and writes files.

files        opens plain, .gz, .xz and .zst files; writes files whole or not at all
lines        plain text, one segment per line; tab-separated references
markup       NIST SGML and WMT XML
tables       tables with a header: TSV, CSV, JSON lines
test_set     a test set from whichever files hold it
experiment   experiment files (TOML)
discovery    guesses what the files of a folder are
weights      feature weights: Moses .ini and JSON
spreadsheets CSV cells that no spreadsheet takes for a formula
nbest/       n-best lists
scores/      external scores, human scores, rankings, MQM, mt-metrics-eval folders
graphs/      lattices and forests: PLF, SLF, OpenFst, Moses, cdec
"""
