"""Shared by all tests: Hypothesis without luck or clock, and where the shared data are, if they are."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sentences import ByRule

from tarocco.annotate import analyzers
from tarocco.annotate.cache import register

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TAROCCO_SHARED", ROOT.parent / "shared"))
PLAIN = os.environ.get("TAROCCO_EXPECT_COMPILED") == "0"

os.environ.pop("TAROCCO_STORE", None)  # a developer's own store is none of the tests' business

# Laws and examples of linguistic metrics are tested without the analyzer that users have.
register("spacy", ByRule())

settings.register_profile(
    "tarocco",
    derandomize=True,
    deadline=None,
    max_examples=int(os.environ.get("TAROCCO_EXAMPLES", 15 if PLAIN else 100)),
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.load_profile("tarocco")


def shared(*parts):
    """A path below the shared folder, or a skip with the reason."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared folder with {'/'.join(parts)} is not beside this checkout")
    return path


@pytest.fixture(name="shared")
def shared_path():
    return shared


@pytest.fixture(name="users_analyzer")
def without_the_stand_in(monkeypatch):
    """The analyzer that users have, in place of the stand-in."""
    monkeypatch.delitem(analyzers._loaded, "spacy")
    yield
    register("spacy", ByRule())
