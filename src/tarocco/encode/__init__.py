"""From text to arrays of integers.

tokenizers          which characters end, make or belong to a word, for each tokenizer
character_classes   Unicode's numbers, punctuation and symbols (generated)
stems               words to stems
english_stems       what the stemmer of English knows
vocabulary          words to ids
wordnet             base forms, synsets and hypernyms of English words
tercom              TER's own normalization of text
batch               a block of candidates and references as ragged arrays: what a metric sees
"""
