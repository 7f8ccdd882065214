"""Draw the pictures of docs/: ``python bench/pictures.py [folder]``.

All are of generated graphs but the first, the world's highways, which is drawn where ../shared/data has them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

import graphs
import nearfar
from nearfar import draw, generate, metrics

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
WIDE = 760  # pixels
SMALL = 480
HIGHWAYS = "sc-world_highways.npz"
CITIES = {  # longitude and latitude
    "Cairo": (31.24, 30.04), "London": (-0.13, 51.5), "Mexico City": (-99.13, 19.43), "São Paulo": (-46.63, -23.55),
    "Sydney": (151.2, -33.87), "Tokyo": (139.69, 35.69),
}  # fmt: skip


def corners(city: nearfar.Graph, *spots: tuple[float, float]) -> list[object]:
    """Return the crossings nearest to some spots between (0, 0), in the south-west, and (1, 1)."""
    low, high = city.coordinates.min(axis=0), city.coordinates.max(axis=0)
    points = (city.coordinates - low) / (high - low)
    return [city.name(int(np.hypot(*(points - spot).T).argmin())) for spot in spots]


def terrain() -> nearfar.Graph:
    """Return a raster with smooth hills and a wall with two gaps."""
    y, x = np.mgrid[0:120, 0:200] / 40
    costs = 1.2 + np.sin(2.1 * x + 1) * np.cos(1.7 * y) + 0.5 * np.sin(5 * y + x)
    costs = np.maximum(costs, 0.1)
    costs[:, 96:100] = np.inf
    costs[18:26, 96:100] = 1
    costs[92:97, 96:100] = 1
    return nearfar.Graph.from_raster(costs)


def friends() -> nearfar.Graph:
    """Return a small graph with names and no coordinates."""
    pairs = "Ann-Bob Ann-Cid Bob-Dora Cid-Dora Cid-Eve Dora-Finn Eve-Finn Eve-Gina Finn-Hugo Gina-Hugo Gina-Ida"
    ends = [pair.split("-") for pair in pairs.split()]
    days = [2, 3, 9, 4, 5, 1, 6, 2, 3, 8, 4]
    return nearfar.Graph.from_arcs(*zip(*ends, strict=True), days, names=True, undirected=True).with_units("days")


def highways() -> draw.Picture:
    """Draw how far the world's junctions are from the nearest of some cities, by road."""
    with np.load(graphs.DATA / HIGHWAYS) as data:
        world = nearfar.Graph.from_arcs(
            data["src"], data["dst"], data["w"], n=int(data["n"]), undirected=not data["directed"],
            coordinates=np.column_stack((data["lon"], data["lat"])),
        ).with_units("km", "degrees")  # fmt: skip
    cities = nearfar.geo.snap(world, *zip(*CITIES.values(), strict=True), within="all")
    found = nearfar.nearest(world, cities.vertices)
    return found.plot("network", title=f"By road from {', '.join(CITIES)}", dark=True, width=1200)


def pictures() -> dict[str, Callable[[], draw.Picture]]:
    """Return how each picture is drawn, by the name of its file."""
    city = generate.city(30, 44)
    west, east, north, south, middle = corners(city, (0.1, 0.3), (0.9, 0.7), (0.7, 0.9), (0.3, 0.1), (0.5, 0.5))
    reached = nearfar.sssp(city, west)
    minutes = nearfar.geo.isochrone(city, west, [60, 120, 180, 240])
    stations = corners(city, (0.2, 0.2), (0.2, 0.7), (0.5, 0.4), (0.6, 0.8), (0.8, 0.3), (0.9, 0.7))
    trips = [(a, b, 100) for a in (west, south, middle) for b in (north, east, middle) if a != b]
    raster = terrain()
    far = nearfar.sssp(raster, (60, 20))
    roads = generate.road_grid(45, 45, seed=4)
    shape = nearfar.Graph.from_arcs(roads.tails, roads.heads, roads.weights, roads.n)
    whole = generate.city()
    home, work = "Main Street / 3rd Avenue", "Elm Street / 43rd Avenue"
    return {
        "start.png": lambda: nearfar.sssp(whole, home).plot(to=work, title="From home to work", width=WIDE),
        "network.png": lambda: reached.plot(to=east, title="Through the city", width=WIDE),
        "isochrones.png": lambda: minutes.plot(dark=True, width=SMALL),
        "regions.png": lambda: nearfar.nearest(city, stations).plot(width=SMALL),
        "closeness.png": lambda: metrics.closeness(city).plot(width=SMALL),
        "flows.png": lambda: metrics.flows(city, trips).plot(units="cars", width=SMALL),
        "betweenness.png": lambda: metrics.edge_betweenness(city).plot(width=SMALL, dark=True),
        "histogram.svg": lambda: reached.plot("histogram", width=600, height=300),
        "raster.png": lambda: far.plot(to=(100, 190), width=SMALL),
        "elimination.png": lambda: draw.elimination(nearfar.prepare(city, order="dissection"), width=SMALL),
        "layers.svg": lambda: nearfar.sssp(friends(), "Ann").plot(to="Ida", width=SMALL),
        "spectral.png": lambda: nearfar.sssp(shape, 0).plot(width=SMALL),
    }


def save(picture: draw.Picture, path: Path) -> None:
    """Save a picture; a .png with 256 colours, which nobody can tell from the original, in a third of the bytes."""
    if path.suffix != ".png":
        picture.save(path)
        return
    image = Image.open(io.BytesIO(picture.to_bytes("png"))).convert("RGB")
    image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def main(folder: Path = FOLDER) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    front = {"front.png": highways} if (graphs.DATA / HIGHWAYS).exists() else {}
    for name, make in (front | pictures()).items():
        save(make(), folder / name)
        print(f"{folder / name}: {(folder / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
