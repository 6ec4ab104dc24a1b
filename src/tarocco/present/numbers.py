"""Numbers as words: with so many digits, or a dash where there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NO_NUMBER = "-"


def number_or_dash(value: float | None, form: str) -> str:
    """A number in a format such as ".3f"; a dash if there is none."""
    return NO_NUMBER if value is None or math.isnan(value) else format(value, form)


def percent(share: float, digits: int = 1, signed: bool = False) -> str:
    """A share as a percentage: 0.125 is 12.5%. With `signed` a gain has a plus; nothing is neither."""
    rounded = round(100 * share, digits) + 0.0  # no -0
    number = number_or_dash(rounded, f"{'+' if signed and rounded else ''}.{digits}f")
    return number if number == NO_NUMBER else f"{number}%"


def told(details: Mapping[str, Any]) -> str:
    """Details of a score in a line: precisions 0.8/0.6/0.5/0.4, brevity penalty 0.92, ..."""

    def number(value: float | None) -> str:
        return number_or_dash(value, ".4g" if value is None or value < 1000 else ".0f")

    return ", ".join(
        f"{name.replace('_', ' ')} {'/'.join(map(number, value)) if isinstance(value, list) else number(value)}"
        for name, value in details.items()
    )
