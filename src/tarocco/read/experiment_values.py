"""Values of an experiment file that are tables, and any value as it is shown in a mistake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarocco.read.tables import KINDS, near


def is_about_file(about: Mapping[str, object]) -> bool:
    return (
        set(about) <= {"file", "kind", "column"}
        and all(isinstance(value, str) and value for value in about.values())
        and "file" in about
        and about.get("kind", "error") in KINDS
    )


def wrong_about_human(about: Mapping[str, Any]) -> list[str]:
    """What a table says that HumanFile does not take; which judges and grades there are, `read_human` knows."""
    kinds: dict[str, tuple[Any, str]] = {
        "file": (str, "the name of a file"),
        "column": (str, "text"),
        "judges": (str, "median or mean"),
        "grades": ((str, list), "text, or a list of texts"),
        "as_rankings": (bool, "true or false"),
    }
    found = [f'has no key "{key}" ({near(key, kinds)})' for key in about if key not in kinds]
    if not about.get("file"):
        found.append('names no file: file = "..." is wanted')
    for key, (kind, wanted) in kinds.items():
        value = about.get(key)
        texts = not isinstance(value, list) or all(isinstance(one, str) for one in value)
        if value is not None and not (isinstance(value, kind) and texts):
            found.append(f"has {key} = {shown_as_toml(value)}, but {key} is {wanted}")
    return found


def shown_as_toml(value: object) -> str:
    """A value as TOML has it, roughly."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except RecursionError:
        return "something that is nested deeply"
    return text if len(text) <= 60 else f"{text[:57]}..."
