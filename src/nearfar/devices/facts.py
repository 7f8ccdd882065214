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
    bandwidth: float = 0.0  # of its memory, in bytes per second; 0: the driver does not say
    wide_atomics: bool = True  # 64-bit atomic minima, needed for distances of 8 bytes
    doubles: bool = True
    unified: bool = False  # whether the device uses the memory of the host, and what one takes the other lacks

    def __post_init__(self) -> None:
        if not self.largest:
            object.__setattr__(self, "largest", self.memory)

    @property
    def expected_bandwidth(self) -> float:
        """Bytes per second of its memory: what the driver says, or an estimate from its kind and size."""
        return self.bandwidth or estimate_bandwidth(self.gpu, self.unified, self.cores)

    @property
    def kind(self) -> str:
        """What it is, in a few words."""
        if not self.gpu:
            return "CPU"
        return "integrated GPU" if self.unified else "GPU"

    @property
    def title(self) -> str:
        """The name with the label, for error messages."""
        return f"{self.name} ({self.label})" if self.label else self.name


def estimate_bandwidth(gpu: bool, unified: bool, cores: int) -> float:
    """Return about how many bytes per second a device's memory gives, where the driver does not say.

    The memory of a machine gives some 50 GB/s, to its GPU as to its CPU, however many units share it. That of a card
    grows with its units: 8 GB/s for each come close from a GTX 1650 (14 units, 128 GB/s) to an RTX 3070 (46, 448).
    Large cards have about twice the bound; some drivers count smaller units, which the bound allows for.
    """
    return 50e9 if unified or not gpu else min(8e9 * cores, 500e9)


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
