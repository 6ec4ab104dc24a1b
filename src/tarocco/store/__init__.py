"""Scores kept between runs: one SQLite file of float64 blocks, found by what they were computed from.

database     opening the file: schema, migrations, and what goes wrong as one sentence
blocks       `Store`: blocks in, blocks out, and which run they belong to
annotations  what analyzers said of texts, in and out
upkeep       what is in a store, whether it is sound, and throwing away what nobody wants
"""

from tarocco.store.blocks import Series, Store

__all__ = ["Series", "Store"]
