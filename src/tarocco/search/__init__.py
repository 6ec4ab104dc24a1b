"""Search under a metric: which of many candidates a metric would choose."""
