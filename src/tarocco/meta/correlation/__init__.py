"""Correlation of metrics with human scores: `tarocco correlate`.

score_sources  scores of systems and segments: by a metric, by people, or by a sentinel that ignores quality
agreement      coefficients and accuracies between two lists of scores
levels         which scores are correlated: of systems, segments or documents, and how they are grouped
pairwise       coefficients that count pairs of systems, on resamples and under permutations
raters         agreement among raters, and the ceiling that it sets for metrics
accuracy_at_difference  how often people agree with a difference under a metric
metric_tests   whether one metric correlates significantly better than another
correlate      the public function
results        what it returns
"""
