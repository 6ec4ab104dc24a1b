"""From text to arrays of integers.

tokenizers   the tokenizers, and TER's normalization of text
vocabulary   words to ids and stems
wordnet      base forms, synsets and hypernyms of English words
batch        a block of candidates and references as ragged arrays: the input of metrics
"""
