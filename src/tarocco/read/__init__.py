"""From files to the model.

bytes_of    any file to bytes: plain, .gz, .xz, .zst, standard input
lines       plain text, one segment a line; tab-separated references
markup      NIST SGML and WMT XML
tables      tables with a header: TSV, CSV, JSON lines
nbest       n-best lists as a stream
nbest_forms what n-best files look like inside
lattices    lattices and forests in any of the formats below
plf         lattices of Moses and cdec, which look like Python
slf         lattices of HTK and SRILM
openfst     finite-state machines as text
moses_graphs  search graphs and hypergraphs of Moses
cdec_forests  forests of cdec
graph_making  from arcs and edges to lattices and forests, and what can be wrong with them
columns     columns of tables of scores that are known by their names
coverage    which row of a table of scores is about which system and segment
external    scores that were made elsewhere
human       what people say of systems: judges and criteria
criteria    columns of human scores, in numbers or ordered grades
rankings    judges' orders of systems, as win shares and pairs
mqm         errors that raters marked, as scores
mt_metrics_eval  folders of its score files
test_set    systems and references from whatever files hold them
experiment  files that name all of these once
discover    what the files of a folder are, by names and numbers of lines
"""
