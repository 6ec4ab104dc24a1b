"""Linguistic structure of text: part-of-speech tags, dependencies, constituents, chunks, entities and semantic roles.

sentence      the data model: `Sentence` and its layers
analyzers     analyzers by name, and progress reports
pipelines     spaCy and Stanza as analyzers
derivation    English trees, chunks and roles from tags and dependencies, by the rules in dependencies, constituency,
              chunks, roles and lexicon
entities      numbers, dates and amounts that a model missed
parses        analyzers made of parse files
formats       CoNLL-U, bracketed trees, CoNLL-2005 role columns
cache         each text is analyzed once per process and once per store
iqmt_labels   the label sets of the IQmt manual
"""
