"""What is known about a device, and what was copied to and from it."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Facts:
    """What a plan needs to know about a device."""

    name: str
    cores: int  # for a GPU: compute units
    memory: int  # bytes that can be allocated now
    label: str = ""  # the product name
    gpu: bool = False
    largest: int = 0  # bytes of the largest buffer; 0 means all of the memory
    group_size: int = 1  # most work-items per group
    wide_atomics: bool = True  # 64-bit atomic minima, needed for distances of 8 bytes
    doubles: bool = True

    def __post_init__(self) -> None:
        if not self.largest:
            object.__setattr__(self, "largest", self.memory)

    @property
    def title(self) -> str:
        """The name with the label, for error messages."""
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass
class Traffic:
    """Kernels launched and bytes copied since a device was opened; subtract two to get what happened between them."""

    launches: int = 0
    uploaded: int = 0
    downloaded: int = 0

    def copy(self) -> Traffic:
        """Return the counts as they are now."""
        return replace(self)

    def __sub__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.launches - other.launches, self.uploaded - other.uploaded, self.downloaded - other.downloaded
        )
