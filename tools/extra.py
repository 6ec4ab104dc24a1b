"""Print the requirements of an extra, one per line: `python tools/extra.py test`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))["project"]
print(*project["optional-dependencies"][sys.argv[1]], sep="\n")
