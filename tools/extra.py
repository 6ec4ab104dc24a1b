"""Print what an extra of tarocco consists of, a requirement a line: `python tools/extra.py test`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))["project"]
print(*project["optional-dependencies"][sys.argv[1]], sep="\n")
