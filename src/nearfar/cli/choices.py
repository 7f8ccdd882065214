"""What a word on the command line may be: types of options, checked before a file is read.

Names come from the tables of the package (METHODS, DEVICES, FORMATS), which are loaded when a value is given, help is
shown or a shell asks how a word may end, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

DIGITS = 18  # of a number that counts something; Python refuses to read some thousands of them
LENGTH = 40  # letters of a value that an error repeats


def shorten(text: str) -> str:
    """Return a value as it is repeated in an error."""
    return text if len(text) <= LENGTH else f"{text[:LENGTH]}..."


def method_names() -> list[str]:
    """Return the methods, and what else they are called."""
    from ..methods import ALIASES, METHODS

    return ["auto", *METHODS, *ALIASES]


def device_names() -> list[str]:
    """Return the devices there are."""
    from ..devices import DEVICES

    return ["auto", *DEVICES]


def readable_formats() -> list[str]:
    """Return the formats that can be read."""
    from ..formats import FORMATS

    return [name for name, record in FORMATS.items() if record.read is not None]


def writable_formats() -> list[str]:
    """Return the formats that can be written."""
    from ..formats import FORMATS

    return [name for name, record in FORMATS.items() if record.write is not None]


class Name(click.ParamType):
    """A name out of a table."""

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
            f"there is no {self.what} '{shorten(str(value))}'; there are {', '.join(names)}.{hint}", param, ctx
        )

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class FormatName(Name):
    """A format; an ending of files is not its name, but tells it."""

    def meant(self, value: str) -> list[str]:
        """Return the formats whose files end like this, or one called nearly so."""
        from ..formats import FORMATS

        ending = f".{value.lower().removeprefix('.')}"
        return [name for name in self.names() if ending in FORMATS[name].endings] or super().meant(value)


class Device(Name):
    """A device, or several with commas between."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:  # type: ignore[override]
        """Let the package check the names now instead of after the file was read."""
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
        """Offer the names that the last word may become."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{item.value}") for item in super().shell_complete(ctx, param, last)]


class Number(click.ParamType):
    """A whole number where it looks like one, else a fraction."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Keep whole numbers exact: a float would round those beyond 2**53."""
        for kind in (int, float):
            with suppress(ValueError):
                number: int | float = kind(value)
                if number == number:  # NaN compares with nothing
                    return number
        return self.fail(f"'{value}' is not a number.", param, ctx)


class Threads(click.ParamType):
    """A number of threads."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Refuse what is not a whole number from 1 on."""
        text = str(value)
        if not text.isdecimal() or len(text) > DIGITS or int(text) < 1:
            self.fail(f"'{shorten(text)}' is not a number of threads; at least 1 is needed.", param, ctx)
        return int(text)


class Memory(click.ParamType):
    """Bytes, as a number or like 2GB."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Let the package check it now instead of after the file was read."""
        from ..engine.options import take_memory

        take_memory(str(value))
        return str(value)


class Column(click.ParamType):
    """A column of a table: its number from 0, or its name."""

    name = "column"

    def __init__(self, optional: bool = False) -> None:
        self.optional = optional

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a number, a name, or False for none."""
        if self.optional and (value is False or str(value).lower() == "none"):
            return False
        if not str(value).isdecimal():
            return value
        if len(str(value)) > DIGITS:
            self.fail(f"'{shorten(str(value))}' is no column: its number is too large.", param, ctx)
        return int(value)


class Separator(click.ParamType):
    """What stands between columns: a character, or its name."""

    name = "char"
    words = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}  # noqa: RUF012 - never changed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the character itself."""
        return self.words.get(str(value).lower(), str(value))
