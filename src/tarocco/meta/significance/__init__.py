"""Significance tests between systems: `tarocco compare`, one file with the tests and one with the public function."""
