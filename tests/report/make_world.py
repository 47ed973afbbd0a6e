"""Make ``graphlang/data/world.json``, the outlines of the report's map, from Natural Earth's countries at 1:50 m.

Natural Earth (naturalearthdata.com) is in the public domain. Its shapes are taken as TopoJSON from the npm package
``world-atlas`` 2.0.2 (``npm pack world-atlas``; ISC), the two letters of countries from pycountry:

    python tests/report/make_world.py countries-50m.json

Rings are cut at the antimeridian here. Arcs are thinned (Douglas and Peucker 1973) so that neighbours keep one border,
projected (Equal Earth, Savric, Patterson and Jenny 2018), and rounded to a grid. Territories that are too small to see
get a dot, as do a few that the shapes have with the country they belong to.
"""

from __future__ import annotations

import json
import math
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

WIDTH = 2_000
TOLERANCE = 0.2  # degrees
SMALL = 30.0  # square units
SOUTH = -58.0
#: Places of territories that have a top-level domain and no shape of their own: latitude, longitude.
PLACES = {
    "bq": (12.2, -68.3), "bv": (-54.4, 3.4), "cc": (-12.2, 96.8), "cx": (-10.5, 105.6), "gf": (4.0, -53.1),
    "gi": (36.1, -5.4), "gp": (16.2, -61.6), "mq": (14.6, -61.0), "re": (-21.1, 55.5), "sj": (78.2, 16.0),
    "tk": (-9.2, -171.8), "tv": (-8.5, 179.2), "um": (19.3, 166.6), "yt": (-12.8, 45.2),
}  # fmt: skip
_A = (1.340264, -0.081106, 0.000893, 0.003796)
Point = tuple[float, float]


def project(longitude: float, latitude: float) -> Point:
    """Equal Earth, on a grid of WIDTH units."""
    theta = math.asin(math.sqrt(3) / 2 * math.sin(math.radians(latitude)))
    t2 = theta * theta
    t6 = t2**3
    slope = 9 * _A[3] * t6 * t2 + 7 * _A[2] * t6 + 3 * _A[1] * t2 + _A[0]
    x = 2 * math.sqrt(3) * math.radians(longitude) * math.cos(theta) / (3 * slope)
    y = theta * (_A[3] * t6 * t2 + _A[2] * t6 + _A[1] * t2 + _A[0])
    scale = WIDTH / (2 * 2.7066299836)
    return WIDTH / 2 + x * scale, (1.3173627591 - y) * scale


def thinned(points: list[Point]) -> list[Point]:
    """Douglas and Peucker's choice of points."""
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    line = np.array(points)
    work = [(0, len(points) - 1)]
    while work:
        first, last = work.pop()
        if last <= first + 1:
            continue
        begin, end = line[first], line[last]
        way = end - begin
        off = line[first + 1 : last] - begin
        length = float(np.hypot(*way))
        away = np.abs(way[0] * off[:, 1] - way[1] * off[:, 0]) / length if length else np.hypot(off[:, 0], off[:, 1])
        far = int(away.argmax())
        if away[far] > TOLERANCE:
            keep[first + 1 + far] = True
            work += [(first, first + 1 + far), (first + 1 + far, last)]
    return [point for point, kept in zip(points, keep, strict=True) if kept]


def area(ring: list[Point]) -> float:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)) / 2


def path(rings: list[list[Point]]) -> str:
    parts = []
    for ring in rings:
        grid = [(round(x), round(y)) for x, y in ring]
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(grid)]
        steps = [step for step in steps if step != (0, 0)][: len(grid)]
        if len(steps) < 2:
            continue
        parts.append(
            f"M{grid[0][0]} {grid[0][1]}l" + " ".join(f"{x} {y}" for x, y in steps[:-1]).replace(" -", "-") + "z"
        )
    return "".join(parts)


def unrolled(points: list[Point]) -> list[Point]:
    """A line that goes on beyond 180 degrees instead of jumping to the other side."""
    turns = 0
    found = [points[0]]
    for before, (x, y) in pairwise(points):
        turns += (before[0] - x > 180) - (x - before[0] > 180)
        found.append((x + 360 * turns, y))
    return found


def clipped(ring: list[Point]) -> list[list[Point]]:
    """The parts of an unrolled ring on the map, from -180 to 180 degrees (Sutherland and Hodgman 1974)."""
    parts = []
    for shift in (-360, 0, 360):
        part = [(x + shift, y) for x, y in ring]
        for edge, sign in ((-180.0, 1), (180.0, -1)):
            kept: list[Point] = []
            for one, other in zip(part, part[1:] + part[:1], strict=True):
                inside, next_inside = sign * one[0] >= sign * edge, sign * other[0] >= sign * edge
                if inside:
                    kept.append(one)
                if inside != next_inside:
                    kept.append((edge, one[1] + (edge - one[0]) / (other[0] - one[0]) * (other[1] - one[1])))
            part = kept
        if part:
            parts.append(part)
    return parts


def decoded(atlas: dict[str, Any]) -> list[list[Point]]:
    """The arcs in degrees, thinned."""
    (kx, ky), (tx, ty) = atlas["transform"]["scale"], atlas["transform"]["translate"]
    arcs = []
    for arc in atlas["arcs"]:
        steps = np.cumsum(np.array(arc, dtype=float), axis=0)
        arcs.append(thinned(unrolled([(x * kx + tx, y * ky + ty) for x, y in steps.tolist()])))
    return arcs


def rings_of(geometry: dict[str, Any], arcs: list[list[Point]]) -> list[list[Point]]:
    """Rings of a shape on the grid."""
    found = []
    polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
    for ring in (ring for polygon in polygons for ring in polygon):
        line: list[Point] = []
        for number in ring:
            part = arcs[number] if number >= 0 else arcs[~number][::-1]
            line += part if not line else part[1:]
        found += [[project(*point) for point in one] for one in clipped(unrolled(line))]
    return found


def main(source: str) -> None:
    import pycountry  # noqa: PLC0415 - only here

    atlas: dict[str, Any] = json.loads(Path(source).read_text(encoding="utf-8"))
    arcs = decoded(atlas)
    rings: dict[str, list[list[Point]]] = {}
    for geometry in atlas["objects"]["countries"]["geometries"]:
        found = pycountry.countries.get(numeric=str(geometry.get("id", "")).zfill(3))
        code = found.alpha_2.lower() if found else ""
        if code != "aq":
            rings.setdefault(code, []).extend(rings_of(geometry, arcs))
    shapes: dict[str, str] = {}
    dots: dict[str, list[int]] = {}
    for code, its in rings.items():
        sizes = [abs(area(ring)) for ring in its]
        if sum(sizes) < SMALL and code:
            xs, ys = zip(*its[sizes.index(max(sizes))], strict=True)
            dots[code] = [round(sum(xs) / len(xs)), round(sum(ys) / len(ys))]
        drawn = path([ring for ring, size in zip(its, sizes, strict=True) if size > 4 or size == max(sizes)])
        if drawn:
            shapes[code] = drawn
    for code, (latitude, longitude) in PLACES.items():
        dots.setdefault(code, [round(one) for one in project(longitude, latitude)])
    document = {
        "source": "Natural Earth 1:50m, public domain, by way of world-atlas 2.0.2; made by tests/report/make_world.py",
        "width": WIDTH,
        "height": round(project(0, SOUTH)[1]),
        "land": shapes.pop("", ""),
        "shapes": dict(sorted(shapes.items())),
        "dots": dict(sorted(dots.items())),
    }
    target = Path(__file__).parents[2] / "graphlang" / "data" / "world.json"
    target.write_text(json.dumps(document, indent=0) + "\n", encoding="utf-8")
    print(f"{len(shapes)} countries, {len(dots)} dots, {target.stat().st_size:,} bytes")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
