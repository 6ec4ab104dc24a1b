"""Word-by-word WordNet lookup, shared with the tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from textbook.wordnet_lookup import lookup as lookup
