"""QARLA (Amigó et al. 2005): QUEEN, KING, JACK, and the search for the best set of metrics."""
