"""The only writer of JSON: strict JSON, which every parser reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def json_text(value: Any, *, compact: bool = False, indent: int | None = None, ascii: bool = False) -> str:
    """Return a value as JSON. NaN and infinite numbers, which JSON does not have, become null.

    `compact` leaves out spaces, `indent` writes an item per line, and `ascii` escapes all other characters.
    """
    from json import dumps

    options: dict[str, Any] = {"indent": indent, "ensure_ascii": ascii, "allow_nan": False}
    if compact:
        options["separators"] = (",", ":")
    try:
        return dumps(value, **options)
    except ValueError:  # a number is not finite: rare, so values are not copied before
        return dumps(_finite(value), **options)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
