"""WordNet one word at a time, as the tests have it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from textbook.wordnet_lookup import lookup as lookup
