"""From text to linguistic structure: analyzers, and files that other analyzers wrote, behind one interface.

sentence      what is known of a segment, one frozen structure
analyzers     analyzers by name: spaCy's pipelines (spacy_pipeline), Stanza's (stanza_pipeline)
completing    what follows from tags and dependencies: constituency, chunks, roles (one converter a file)
files         CoNLL-U (conllu), trees in brackets (brackets), role columns (props): written, read, joined, checked
analyses      an analyzer made of files, or of sentences that a program has
annotated     texts to sentences, each text once, kept in memory and in a store
watching      who looks on: a command's progress bar
labels        the labels of the IQmt manual
"""
