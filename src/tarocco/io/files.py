"""Open plain and compressed input files, and replace output files atomically."""

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
MAX_EXPANSION = 200  # decompressed bytes per compressed byte: text has 3 to 30, a decompression bomb 1000 and more
ALWAYS_ALLOWED = 1 << 26  # decompressed bytes that are accepted from any file
EXPANSION_VARIABLE = "TAROCCO_MAX_EXPANSION"  # environment variable that replaces MAX_EXPANSION; 0 is no limit
_READ_SIZE = 1 << 20


def display_name(path: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if path == STANDARD_INPUT else path


def format_suffix(path: str) -> str:
    """Return the lowercase suffix that names a file's format: `ref.SGM.gz` is .sgm."""
    plain = Path(path)
    if plain.suffix in COMPRESSED:
        plain = plain.with_suffix("")
    return plain.suffix.lower()


def read_bytes(path: str, at_most: int = -1, *, keep: bool = False) -> bytes:
    """Return the decompressed contents of a file, or their first `at_most` bytes; "-" is standard input.

    With `keep`, a pipe keeps what was read for the next reader.
    """
    with open_input(path, keep=keep) as file:
        data: bytes = file.read(at_most)
        return data


def read_chunks(path: str, size: int) -> Iterator[bytes]:
    """Yield the decompressed contents of a file, `size` bytes at a time."""
    with open_input(path) as file:
        while chunk := file.read(size):
            yield chunk


@contextmanager
def open_input(path: str, *, keep: bool = False) -> Iterator[Any]:
    """Open a file for reading; errors while it is open become an InputError.

    `keep` is for looking at a file that is read again: a pipe then keeps what was read for the next `open_input`.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input: expected an open stream, found a closed one")
        yield sys.stdin.buffer
        return
    suffix = Path(path).suffix
    damaged = _decompression_errors(suffix)
    _check_name(path)
    try:
        with _open_file_or_pipe(path, keep) as file:
            yield _Decompressor(file, suffix, path) if suffix in COMPRESSED else file
    except EOFError:
        raise InputError(f"{path}: the file is truncated, its {suffix} data ends too early") from None
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: expected a file, found a directory") from None
    except (OSError, *damaged) as error:  # type: ignore[misc]  # mypy does not see that these are exceptions
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"{path}: the file cannot be read ({error.strerror})") from None
        raise InputError(f"{path}: expected {suffix} data, found something else ({error})") from None


def _check_name(path: str) -> None:
    if not path:
        raise InputError("expected the name of a file, found an empty one")
    try:
        if "\0" not in path:
            os.fsencode(path)
            return
    except UnicodeEncodeError:
        pass
    raise InputError(f"{path!r} cannot be the name of a file")


def _refuse_device(file: IO[bytes], path: str) -> None:
    """Refuse disks and endless devices such as /dev/zero; accept pipes, terminals and /dev/null."""
    mode = os.fstat(file.fileno()).st_mode
    endless = stat.S_ISCHR(mode) and not file.isatty() and not os.path.samefile(path, os.devnull)
    if endless or stat.S_ISBLK(mode):
        raise InputError(f"{path}: expected a file or a pipe, found a device")


@contextmanager
def _open_file_or_pipe(path: str, keep: bool) -> Iterator[Any]:
    status = os.stat(path)
    if not stat.S_ISFIFO(status.st_mode):
        with open(path, "rb") as file:
            _refuse_device(file, path)
            yield file
        return
    identity = status.st_dev, status.st_ino
    if identity in _finished_pipes:
        raise InputError(f"{path}: a pipe can be read once, and this one was read already")
    pipe = _kept_pipes.pop(identity, None) or _Pipe(open(path, "rb"))  # noqa: SIM115  # a kept pipe stays open
    pipe.keep = keep
    try:
        yield pipe
    finally:
        if keep:
            pipe.rewind()
            _kept_pipes[identity] = pipe
        else:
            pipe.file.close()
            if not os.path.exists(os.path.realpath(path)):  # <(command) of a shell: no other writer can come
                _finished_pipes.add(identity)


class _Pipe:
    """An open pipe, which can be rewound if `keep` is set while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.keep = file, False
        self.kept = b""  # read before the last `rewind`, and not again since
        self.parts: list[bytes] = []  # read since then

    def read(self, size: int = -1) -> bytes:
        part = self.kept if size < 0 else self.kept[:size]
        self.kept = self.kept[len(part) :]
        part += self.file.read(size - len(part) if size >= 0 else -1)
        if self.keep:
            self.parts.append(part)
        return part

    def rewind(self) -> None:
        """Let the next `read` begin with the first byte that was read."""
        self.kept, self.parts = b"".join([*self.parts, self.kept]), []


_kept_pipes: dict[tuple[int, int], _Pipe] = {}  # by device and inode
_finished_pipes: set[tuple[int, int]] = set()


class _CountedFile:
    """A file that counts the bytes read from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.n_read = file, 0

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.n_read += len(data)
        return data


class _Decompressor:
    """The contents of a compressed file, as long as they are in proportion to its size."""

    def __init__(self, file: IO[bytes], suffix: str, path: str) -> None:
        self.path, self.n_decompressed = path, 0
        self.compressed = _CountedFile(file)
        self.stream = _open_compressed(suffix)(self.compressed)
        self.limit = _expansion_limit()

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or the rest."""
        parts, left = [], sys.maxsize if size < 0 else size
        while left and (part := self.stream.read(min(left, _READ_SIZE))):
            parts.append(part)
            left -= len(part)
            self.n_decompressed += len(part)
            if self.limit and self.n_decompressed > max(ALWAYS_ALLOWED, self.limit * self.compressed.n_read):
                raise InputError(
                    f"{self.path}: the file decompresses to more than {ALWAYS_ALLOWED >> 20} MiB and {self.limit:g} "
                    f"times its size, which text does not do; set {EXPANSION_VARIABLE}=0 to read it anyway"
                )
        return b"".join(parts)


def _expansion_limit() -> float:
    setting = os.environ.get(EXPANSION_VARIABLE) or str(MAX_EXPANSION)
    try:
        limit = float(setting)
    except ValueError:
        limit = -1.0
    if not limit >= 0:
        raise InputError(
            f"{EXPANSION_VARIABLE}: expected a number of decompressed bytes per compressed byte, or 0 for no limit, "
            f"found {setting!r}"
        )
    return limit


def _open_compressed(suffix: str) -> Any:
    if suffix == ".gz":
        import gzip

        return gzip.open
    if suffix == ".xz":
        import lzma

        return lzma.open
    return _zstd().open


def _decompression_errors(suffix: str) -> tuple[type[Exception], ...]:
    """Return the exceptions that damaged data of this format raise."""
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
    """Raise InputError, before any work is done, if no file can be written at a path."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: expected a file, found a directory")
    if target.exists() and not target.is_file():
        raise InputError(f"{target}: expected an ordinary file, found a device or a pipe")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target}: the directory {target.parent} is read-only")


def check_no_overwrite(outputs: Iterable[str | None], inputs: Iterable[str | None]) -> None:
    """Raise InputError, before any work is done, if an output is also an input or another output."""
    read = {os.path.realpath(path) for path in inputs if path and path != STANDARD_INPUT}
    written: set[str] = set()
    for output in outputs:
        if output is None:
            continue
        path = os.path.realpath(output)
        if path in read:
            raise InputError(f"{output}: this file is an input and would be overwritten; name another output file")
        if path in written:
            raise InputError(f"{output}: two outputs would be written to this file; name another file")
        written.add(path)


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` at the end; after an error `path` is unchanged."""
    check_writable(path)
    target = Path(path).resolve()  # replace the file that a link points to, not the link
    temporary = target.parent / f".tarocco-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        yield temporary
        os.replace(temporary, target)
    except TaroccoError:
        raise
    except OSError as error:
        raise InputError(f"{path}: the file could not be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that no reader ever sees a part of it."""
    with replace_file(path) as temporary, open(temporary, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
