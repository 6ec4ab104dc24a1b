"""QARLA (Amigó et al. 2005): QUEEN, KING, JACK, and the search for the best set of metrics.

similarities   how similar every text is to every other under every metric
decisions      which samples each text passes under each metric, as bits
queen, king    the measures, from similarities
qarla          the public functions queen, king and jack
set_search     searches for the set of metrics with the highest KING
optimize       the public function optimize, with cross-validation and redundancy
results        what the public functions return
"""
