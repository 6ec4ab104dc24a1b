"""A short run of the fuzzer, the same one every time; `make fuzz` is the long one."""

import random

import pytest
from fuzz.mutation import mutated
from fuzz.targets import SEEDS, TARGETS, Bench, seeds_of

INPUTS = 40


@pytest.fixture(scope="module")
def bench():
    with Bench() as made:
        yield made


def test_every_target_has_seeds_and_every_seed_a_target():
    assert {path.name for path in SEEDS.iterdir()} == set(TARGETS)
    assert all(map(seeds_of, TARGETS))


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_and_some_new_ones(bench, name):
    seeds = seeds_of(name)
    rng = random.Random(name)
    for data in [*seeds, *(mutated(seeds, rng) for _ in range(INPUTS))]:
        bench.try_one(name, data)  # whatever is not TaroccoError fails the test
