"""What is known of a device, and what went over its bus."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Facts:
    """What a plan needs to know of a device."""

    name: str
    cores: int  # of a GPU: its compute units
    memory: int  # bytes that can be allocated now
    label: str = ""  # what its maker calls it
    gpu: bool = False
    largest: int = 0  # bytes one buffer can have; 0 is taken as all of the memory
    group_size: int = 1  # work-items a group can have
    wide_atomics: bool = True  # atomic minima of 64 bits, which distances of 8 bytes need
    doubles: bool = True

    def __post_init__(self) -> None:
        if not self.largest:
            object.__setattr__(self, "largest", self.memory)

    @property
    def title(self) -> str:
        """The name with the label, as an error shows it."""
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass
class Traffic:
    """Kernels started and bytes copied since a device was opened; the difference of two is what lies between them."""

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
