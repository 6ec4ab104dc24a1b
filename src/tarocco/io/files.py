"""Files that are whole or not there: written beside their place, then put into it."""

from __future__ import annotations

import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tarocco.core.errors import InputError, TaroccoError

STANDARD_INPUT = "-"
COMPRESSED = (".gz", ".xz", ".zst")
MOST_EXPANSION = 200  # bytes that a compressed byte may become: text becomes 3 to 30, a bomb 1000 and more
UNCOUNTED = 1 << 26  # bytes that any file may become
LIFTED_BY = "TAROCCO_MAX_EXPANSION"  # the environment variable that sets another number, or 0 for none
_PIECE = 1 << 20


def shown(path: str) -> str:
    """How a file is called in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def bytes_of(path: str, at_most: int = -1) -> bytes:
    """The contents of a file, decompressed by its suffix, or their beginning; "-" is standard input."""
    with opened(path) as file:
        data: bytes = file.read(at_most)
        return data


def chunks_of(path: str, size: int) -> Iterator[bytes]:
    """The same contents, `size` bytes at a time."""
    with opened(path) as file:
        while chunk := file.read(size):
            yield chunk


@contextmanager
def opened(path: str) -> Iterator[Any]:
    """A file to read from; what goes wrong with it in the meantime is an InputError."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed, and no system file was given")
        yield sys.stdin.buffer
        return
    suffix = Path(path).suffix
    damaged = _damage(suffix)
    try:
        with open(_checked(path), "rb") as file:
            _refuse_device(file, path)
            yield _Expanded(file, suffix, path) if suffix in COMPRESSED else file
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


def _checked(path: str) -> str:
    if not path:
        raise InputError("the name of a file is empty")
    try:
        if "\0" not in path:
            os.fsencode(path)
            return path
    except UnicodeEncodeError:
        pass
    raise InputError(f"{path!r} cannot be the name of a file")


def _refuse_device(file: IO[bytes], path: str) -> None:
    """Disks and /dev/zero have no end that anyone would wait for; pipes, terminals and /dev/null have one."""
    mode = os.fstat(file.fileno()).st_mode
    endless = stat.S_ISCHR(mode) and not file.isatty() and not os.path.samefile(path, os.devnull)
    if endless or stat.S_ISBLK(mode):
        raise InputError(f"{path}: this is a device, a file or a pipe is wanted")


class _Tap:
    """A file that counts what is read of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.taken = file, 0

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.taken += len(data)
        return data


class _Expanded:
    """What a compressed file becomes, as far as that is in proportion to what was read of it."""

    def __init__(self, file: IO[bytes], suffix: str, path: str) -> None:
        self.path, self.given = path, 0
        self.tap = _Tap(file)
        self.inside = _opener(suffix)(self.tap)
        self.most = _most_expansion()

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all that are left."""
        parts, left = [], sys.maxsize if size < 0 else size
        while left and (part := self.inside.read(min(left, _PIECE))):
            parts.append(part)
            left -= len(part)
            self.given += len(part)
            if self.most and self.given > max(UNCOUNTED, self.most * self.tap.taken):
                raise InputError(
                    f"{self.path}: this becomes more than {self.most:g} times as large as it is, and {UNCOUNTED >> 20} "
                    f"MiB, which text does not; {LIFTED_BY}=0 reads it nevertheless"
                )
        return b"".join(parts)


def _most_expansion() -> float:
    written = os.environ.get(LIFTED_BY) or str(MOST_EXPANSION)
    try:
        most = float(written)
    except ValueError:
        most = -1.0
    if not most >= 0:
        raise InputError(f"{LIFTED_BY} is how many bytes a compressed byte may become, or 0, not {written!r}")
    return most


def _opener(suffix: str) -> Any:
    """What decompresses such a file; imported only when needed."""
    if suffix == ".gz":
        import gzip

        return gzip.open
    if suffix == ".xz":
        import lzma

        return lzma.open
    return _zstd().open


def _damage(suffix: str) -> tuple[type[Exception], ...]:
    """What is raised when the data of such a file are damaged."""
    if suffix == ".gz":
        return (zlib.error,)
    if suffix == ".xz":
        import lzma

        return (lzma.LZMAError,)
    return (_zstd().ZstdError,) if suffix == ".zst" else ()


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


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
