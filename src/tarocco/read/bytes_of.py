"""Any file to bytes: plain, compressed, or standard input. What goes wrong is one sentence that names the file."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from tarocco.errors import InputError

STANDARD_INPUT = "-"
COMPRESSED = (".gz", ".xz", ".zst")


def shown(path: str) -> str:
    """How a file is called in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def bytes_of(path: str, at_most: int = -1) -> bytes:
    """The contents of a file, decompressed by its suffix, or their beginning; "-" is standard input."""
    with _opened(path) as file:
        return file.read(at_most)


def chunks_of(path: str, size: int) -> Iterator[bytes]:
    """The same contents, `size` bytes at a time."""
    with _opened(path) as file:
        while chunk := file.read(size):
            yield chunk


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """A file to read from; what goes wrong with it in the meantime is an InputError."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed, and no system file was given")
        yield sys.stdin.buffer
        return
    if not path:
        raise InputError("the name of a file is empty")
    suffix = Path(path).suffix
    opener, damaged = _opener(suffix)
    try:
        with opener(path) as file:
            yield file
    except EOFError:
        raise InputError(f"{path}: the file is cut off, its {suffix} data ends too early") from None
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, a file is wanted") from None
    except (OSError, *damaged) as error:  # type: ignore[misc]  # mypy does not see that these are exceptions
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"{path}: this file cannot be read ({error.strerror})") from None
        raise InputError(f"{path}: this is not valid {suffix} data ({error})") from None


def _opener(suffix: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """What opens such a file, and what it raises when the data is damaged; imported only when needed."""
    if suffix not in COMPRESSED:
        return partial(open, mode="rb"), ()
    if suffix == ".gz":
        import gzip

        return gzip.open, (gzip.BadGzipFile, zlib.error)
    if suffix == ".xz":
        import lzma

        return lzma.open, (lzma.LZMAError,)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.open, (zstd.ZstdError,)
