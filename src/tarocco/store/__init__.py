"""The cache between runs: one SQLite file of float64 blocks and annotations, keyed by a digest of their inputs.

database     opens the file: schema, migrations, error messages
blocks       `Store`: reads and writes blocks and annotations, and records which series they belong to
maintenance  lists, checks and prunes a store
"""

from tarocco.store.blocks import Series, Store

__all__ = ["Series", "Store"]
