"""N-best lists: streams of lists, features and weights, and byte ranges that workers read in parallel."""
