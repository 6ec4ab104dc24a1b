"""Inputs that nobody would write, for every reader and for the dispatchers of kernels; `make fuzz` runs them."""
