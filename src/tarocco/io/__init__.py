"""Read and write files.

files        open plain, .gz, .xz and .zst files; write files atomically
text         plain text, tab-separated references, NIST SGML, WMT XML
tables       tables with a header: TSV, CSV, JSON lines
test_set     a test set from the files that hold it
experiment   experiment files (TOML)
discovery    recognize the files of a folder
nbest/       n-best lists, byte ranges of them for workers, features and weights
scores/      external scores, human scores, MQM, mt-metrics-eval folders
graphs/      lattices and forests: PLF, SLF, OpenFst, Moses, cdec
"""
