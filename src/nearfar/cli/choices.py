"""The values that options accept, checked before a file is read.

Names come from the tables of the package (METHODS, DEVICES, FORMATS). These are loaded only when a value is given, when
help is shown, or when a shell completes a word.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import clip

DIGITS = 18  # at most, in a count; Python refuses to convert a few thousand of them


def method_names() -> list[str]:
    """Return the methods and their aliases."""
    from ..methods import ALIASES, METHODS

    return ["auto", *METHODS, *ALIASES]


def device_names() -> list[str]:
    """Return the kinds of devices."""
    from ..devices import DEVICES

    return ["auto", *DEVICES]


def readable_formats() -> list[str]:
    """Return the formats that can be read."""
    from ..formats import FORMATS

    return [name for name, record in FORMATS.items() if record.read is not None]


def profile_names() -> list[str]:
    """Return the modes of travel that OpenStreetMap files are read for."""
    from ..formats.profiles import PROFILES

    return list(PROFILES)


def writable_formats() -> list[str]:
    """Return the formats that can be written."""
    from ..formats import FORMATS

    return [name for name, record in FORMATS.items() if record.write is not None]


class Name(click.ParamType):
    """A name from a table."""

    name = "name"

    def __init__(self, names: Callable[[], list[str]], what: str) -> None:
        self.names, self.what = names, what

    def meant(self, value: str) -> list[str]:
        """Return the names that were probably meant."""
        return get_close_matches(value, self.names(), 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a name that is not in the table, and suggest one that is."""
        names = self.names()
        if value in names:
            return str(value)
        close = " or ".join(f"'{name}'" for name in self.meant(str(value)))
        hint = f" Did you mean {close}?" if close else ""
        return self.fail(
            f"there is no {self.what} '{clip(str(value), 40)}'; there are {', '.join(names)}.{hint}", param, ctx
        )

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class FormatName(Name):
    """A format. A file ending is not the name of a format, but suggests one."""

    def meant(self, value: str) -> list[str]:
        """Return the formats with this file ending, or the one with the closest name."""
        from ..formats import FORMATS

        ending = f".{value.lower().removeprefix('.')}"
        return [name for name in self.names() if ending in FORMATS[name].endings] or super().meant(value)


class Device(Name):
    """A device, or several separated by commas."""

    def meant(self, value: str) -> list[str]:
        """Return the devices that were probably meant."""
        from ..engine.options import close_devices

        return close_devices(value)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:  # type: ignore[override]
        """Let the package check the names before the file is read."""
        from ..engine.options import take_device

        if isinstance(value, list):  # click converts a default again
            return value
        names = [name.strip() for name in str(value).split(",")]
        for name in names:
            kind = name.partition(":")[0]
            if kind not in self.names():
                super().convert(kind, param, ctx)
        return list(take_device(names))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the names that begin like the last word."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{item.value}") for item in super().shell_complete(ctx, param, last)]


class Number(click.ParamType):
    """A whole number if it looks like one, else a float."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Keep whole numbers exact: floats round those beyond 2**53."""
        for kind in (int, float):
            with suppress(ValueError):
                number: int | float = kind(value)
                if number == number:  # NaN compares with nothing
                    return number
        return self.fail(f"'{clip(str(value), 40)}' is not a number. Write it like 12 or 1.5.", param, ctx)


class Count(click.ParamType):
    """A number of things, at least 1."""

    name = "n"

    def __init__(self, what: str = "a count") -> None:
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Refuse everything but whole numbers of at least 1."""
        text = str(value)
        if not text.isdecimal() or len(text) > DIGITS or int(text) < 1:
            self.fail(f"'{clip(text, 40)}' is not {self.what}; give a whole number, at least 1.", param, ctx)
        return int(text)


class Memory(click.ParamType):
    """An amount of memory: a number of bytes, or a size like 2GB."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Let the package check the size before the file is read."""
        from ..engine.options import take_memory

        take_memory(str(value))
        return str(value)


class Scheduler(click.ParamType):
    """The address of a scheduler of Dask."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is no address."""
        text = str(value)
        if "://" not in text:
            self.fail(f"'{clip(text, 40)}' is no address; write it like tcp://10.0.0.1:8786.", param, ctx)
        return text


class Column(click.ParamType):
    """A column of a table: its name, or its index from 0."""

    name = "column"

    def __init__(self, optional: bool = False) -> None:
        self.optional = optional

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return an index, a name, or False for none."""
        if self.optional and (value is False or str(value).lower() == "none"):
            return False
        if not str(value).isdecimal():
            return value
        if len(str(value)) > DIGITS:
            self.fail(
                f"'{clip(str(value), 40)}' is not a column: the index is too large. Columns count from 0.", param, ctx
            )
        return int(value)


class Separator(click.ParamType):
    """The character between columns, or its name."""

    name = "char"
    words = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}  # noqa: RUF012 - never changed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the character itself."""
        return self.words.get(str(value).lower(), str(value))
