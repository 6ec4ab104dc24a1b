"""A block is gone when it was counted: nothing that metrics make waits for the garbage collector.

A command asks the collector to look rarely, so that a ring of references among arrays of a block, small as the ring
is, would keep every block of a long run in memory.
"""

import gc

import pytest

from tarocco import datasets, score
from tarocco.encode.batch import Batch
from tarocco.meta.orange.orange import orange
from tarocco.metrics.registry import built_in_families
from tarocco.metrics.text_pairs import TextPairs

DEMO = datasets.load("demo")
NAMES = [family.names[0] for family in built_in_families()]


def blocks_left_by(work):
    """Batches and pairs that only the collector can free."""
    work()  # what is made once and kept
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        work()
        gc.collect()
        return [one for one in gc.garbage if isinstance(one, Batch | TextPairs)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
        gc.collect()


@pytest.mark.parametrize("name", NAMES)
def test_scoring_leaves_no_block(name):
    assert not blocks_left_by(lambda: score(DEMO.systems, DEMO.references, metrics=name, jobs=1))


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_leaves_no_block(name):
    lists = [list(texts) for texts in zip(*DEMO.systems.values(), strict=True)]
    assert not blocks_left_by(lambda: orange(lists, DEMO.references, metrics=name, jobs=1))
