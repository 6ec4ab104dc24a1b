"""Files that are whole or not there: written beside their place, then put into it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tarocco.errors import InputError, TaroccoError


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a path at which no file can be written."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: a file is wanted, and this is a directory")
    if target.exists() and not target.is_file():
        raise InputError(f"{target}: an ordinary file is wanted, and this is none")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target}: the directory {target.parent} is read-only")


def check_apart(outputs: Iterable[str | None], inputs: Iterable[str | None]) -> None:
    """Refuse, before any work is done, to write over what is read, or two things into one file."""
    read = {os.path.realpath(one) for one in inputs if one and one != "-"}
    written: set[str] = set()
    for one in outputs:
        if one is None:
            continue
        path = os.path.realpath(one)
        if path in read:
            raise InputError(f"{one}: this file is read, and would be written over; name another file")
        if path in written:
            raise InputError(f"{one}: two things would be written to this file; name another one")
        written.add(path)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives a name beside `path` to write to, which takes its place at the end; after an error nothing has changed."""
    check_writable(path)
    target = Path(path).resolve()  # through a link, the file it leads to is replaced, not the link
    temporary = target.parent / f".tarocco-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        yield temporary
        os.replace(temporary, target)
    except TaroccoError:
        raise
    except OSError as error:
        raise InputError(f"{path}: it could not be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that nobody ever sees half of it."""
    with whole_file(path) as temporary, open(temporary, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
