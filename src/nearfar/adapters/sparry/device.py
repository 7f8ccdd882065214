"""SParry's class Device: what is known about the GPU that ``useCUDA=True`` runs on."""

from __future__ import annotations

from ...devices import DEVICES, open_named
from ...devices.facts import Facts
from ...errors import MissingDeviceError, option


class Device:
    """The facts of the GPU that `calc` runs on with ``useCUDA=True``.

    Attributes
    ----------
    deviceName : str
        Its product name.
    deviceType : list of str
        The product names of all GPUs.
    deviceNum : int
        How many GPUs there are.
    free : int
        Bytes of its memory that can be allocated now.
    processNum : int
        Its multiprocessors, also called compute units.
    driverVersion : str
        What the driver says about itself.
    total, used, temperature, powerStstus : None
        Not known here: use ``nvidia-smi``.

    Examples
    --------
    >>> from nearfar.adapters.sparry import Device
    >>> Device().deviceName  # doctest: +SKIP
    'NVIDIA GeForce RTX 3070'
    """

    total = used = temperature = powerStstus = None  # noqa: N815 (SParry's spelling)

    def __init__(self) -> None:
        facts = first_gpu()
        self.deviceName, self.free, self.processNum = facts.label, facts.memory, facts.cores
        self.deviceType = [gpu.label for gpu in gpus()]
        self.deviceNum = len(self.deviceType)
        self.driverVersion = open_named(facts.name).details().get("driver", "")

    def get_device_type(self) -> str:
        """Return the product name."""
        return self.deviceName

    def get_number_of_device(self) -> int:
        """Return how many GPUs there are."""
        return self.deviceNum

    def get_driver_version(self) -> str:
        """Return what the driver says about itself."""
        return self.driverVersion


def deviceinfo() -> Device:
    """Return the facts of the GPU that `calc` runs on with ``useCUDA=True``.

    Examples
    --------
    >>> from nearfar.adapters.sparry import deviceinfo
    >>> deviceinfo().deviceNum  # doctest: +SKIP
    1
    """
    return Device()


def gpus() -> list[Facts]:
    """Return the GPUs, those of CUDA first, without OpenCL's view of the same or other CPUs."""
    return DEVICES["cuda"].found() or [facts for facts in DEVICES["opencl"].found() if facts.gpu]


def first_gpu() -> Facts:
    """Return the GPU that useCUDA=True asks for."""
    found = gpus()
    if found:
        return found[0]
    cuda, opencl = (DEVICES[kind].missing() for kind in ("cuda", "opencl"))
    raise MissingDeviceError(
        f"useCUDA is True, but there is no GPU. CUDA: {cuda}. OpenCL: {opencl or 'all its devices are CPUs'}. Use "
        f"{option('useCUDA', False)} for the CPU, or leave it out to take the fastest device there is."
    )
