"""Metrics on trial: ORANGE, its error analysis, and what people say of the cases."""
