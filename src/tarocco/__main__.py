"""`python -m tarocco` is `tarocco`."""

import sys

from tarocco.cli import main

sys.exit(main())
