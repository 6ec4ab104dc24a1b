"""tarocco: which metric should I trust, and what does it say?

`__init__.pyi` lists the public names. A name's module is imported when the name is first used, so that `import tarocco`
costs nothing.
"""

from __future__ import annotations

from tarocco._version import __version__ as __version__

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost every start 3 ms
if TYPE_CHECKING:
    from typing import Any


def _public_names() -> dict[str, str]:
    """Return the module of each public name, as `__init__.pyi` declares it."""
    import re
    from pathlib import Path

    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    declared = re.findall(r"^from (tarocco[\w.]*) import (\w+) as \2$", stub, re.MULTILINE)
    return {name: module for module, name in declared}


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'tarocco' has no attribute {name!r}")
    from importlib import import_module

    names = _public_names()
    value: Any
    if name == "__all__":
        value = sorted(set(names) - {"datasets"} | {"__version__"})
    elif name not in names:
        raise AttributeError(f"module 'tarocco' has no attribute {name!r}")
    elif names[name] == "tarocco":
        value = import_module(f"tarocco.{name}")
    else:
        value = getattr(import_module(names[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return names
