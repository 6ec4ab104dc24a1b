"""Writing a file so that it is whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tarocco.errors import InputError, TaroccoError


@contextmanager
def written(path: str) -> Iterator[str]:
    """Gives a temporary name beside `path` to write to; at the end it takes the name, and on an error it goes away.

    What was there before is replaced at once or left as it is.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: this is a directory, a file is wanted")
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no directory {target.parent} to write to")
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=target.suffix, dir=target.parent)
        os.close(handle)
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # as if it had been opened in the ordinary way
        os.replace(temporary, target)
    except TaroccoError:
        raise
    except OSError as error:
        raise InputError(f"{path}: this file cannot be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)
