"""From a test set to scores.

score        the public functions: score, statistics, score_nbest
statistics   encodes and counts blocks of segments
results      Score and Result
resampling   bootstrap and random swaps over sums of statistics
cache        which blocks of a run a store already holds
"""
