"""`python -m tarocco` is `tarocco`."""

import os
import sys
from contextlib import suppress

# Python adds the working directory, whose files are data: a module there must not replace one that tarocco imports.
with suppress(FileNotFoundError):  # it was deleted
    if not sys.flags.safe_path and sys.path[0] == os.getcwd():
        del sys.path[0]

from tarocco.cli import main

sys.exit(main())
