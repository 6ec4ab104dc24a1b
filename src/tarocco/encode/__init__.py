"""From text to arrays of integers.

tokenizers   the tokenizers, and TER's normalization of text
tokenizer_plugins   MeCab, SentencePiece models, entry points and functions as tokenizers
nltk_porter  NLTK's variant of Porter's stemmer
vocabulary   words to ids and stems
wordnet      base forms, synsets and hypernyms of English words
batch        a block of candidates and references as ragged arrays: the input of metrics
"""
