"""From a test set to scores.

score        the public functions: score, statistics, score_nbest
settings     Text, Resampling and Workers: the values that public functions accept
statistics   encodes and counts blocks of segments
results      Score and Result
language     notes on tokenizers and English resources that do not suit the references
resampling   bootstrap and random swaps over sums of statistics
cache        reads and stores the blocks of a run
"""
