"""What it takes to index scene graphs of Visual Genome's size, and to open the index again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tools.benchmarks.measuring import Cost, cheapest, child, show

_REPOSITORY = Path(__file__).parents[2]
_REAL = _REPOSITORY / "../shared/data/visual_genome/scene_graphs.json"

_SIZES_MB = (60, 120)
_FULL_MB = 700
_NAMES = 80_000
"""About as many names as annotators typed for all of Visual Genome."""
_READ = 2000

_OPEN = """
import os, sys
os.environ["VQAMT_CACHE_HOME"], folder, read = sys.argv[1:]
from pytest_vqamt.data import visual_genome
source = visual_genome.load(folder)
assert source.corpus.names
for index in range(int(read)):
    source.scene(len(source) * index // int(read))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What annotations of ``size_mb`` take: to be indexed, to be opened again, and for each scene read then."""

    size_mb: float
    scenes: float
    build_s: float
    build_mb: float
    again_s: float
    again_mb: float
    scene_ms: float


def main() -> None:
    """Two sizes, since their difference shows what grows with the file; the full size is a line through them."""
    if not _REAL.is_file():
        print(f"\nscene_index: left out, for it scales a real record, and there is no {_REAL}")
        return
    small, large = (measured(size_mb) for size_mb in _SIZES_MB)
    rows = [(f"{each.scenes:.0f} scenes, {each.size_mb:.0f} MB", each) for each in (small, large)]
    full = through(small, large, _FULL_MB)
    rows.append((f"extrapolated: {full.scenes:.0f} scenes, {full.size_mb:.0f} MB", full))
    show(
        "An index of scene graphs: one real record of Visual Genome (40 things, 41 relationships) with other names",
        ("annotations", "build", "MB/s", "peak memory", "opened again", "peak memory", "one scene"),
        [
            (
                title,
                f"{each.build_s:.1f} s",
                f"{each.size_mb / each.build_s:.1f}",
                f"{each.build_mb:.0f} MB",
                f"{each.again_s:.2f} s",
                f"{each.again_mb:.0f} MB",
                f"{each.scene_ms:.2f} ms",
            )
            for title, each in rows
        ],
    )


def measured(size_mb: float) -> Measured:
    """Each time in an interpreter of its own, whose start is part of it, and with the corpus gathered."""
    with TemporaryDirectory() as made:
        folder, home = Path(made) / "data", Path(made) / "home"
        folder.mkdir()
        scenes = write(folder / "scene_graphs.json", size_mb)
        build = _opened(home, folder)
        again = cheapest(3, lambda: _opened(home, folder))
        reading = cheapest(3, lambda: _opened(home, folder, read=_READ))
    return Measured(
        size_mb=size_mb,
        scenes=scenes,
        build_s=build.wall_s,
        build_mb=build.peak_mb,
        again_s=again.wall_s,
        again_mb=again.peak_mb,
        scene_ms=1000 * max(0.0, reading.wall_s - again.wall_s) / _READ,
    )


def through(small: Measured, large: Measured, size_mb: float) -> Measured:
    """The point at ``size_mb`` on the line through two; a scene takes what it takes in the larger."""
    times = (size_mb - small.size_mb) / (large.size_mb - small.size_mb)
    return Measured(
        size_mb=size_mb,
        scenes=small.scenes + times * (large.scenes - small.scenes),
        build_s=small.build_s + times * (large.build_s - small.build_s),
        build_mb=small.build_mb + times * (large.build_mb - small.build_mb),
        again_s=small.again_s + times * (large.again_s - small.again_s),
        again_mb=small.again_mb + times * (large.again_mb - small.again_mb),
        scene_ms=large.scene_ms,
    )


def write(path: Path, size_mb: float) -> int:
    """A file like Visual Genome's scene_graphs.json, of the real record over and over; how many times.

    Names are drawn by Zipf's law from as many as the whole data set has, so that the corpus is as large as its own.
    """
    (record,) = json.loads(_REAL.read_text(encoding="utf-8"))
    rng = Random(0)
    weights = list(accumulate(1 / rank for rank in range(1, _NAMES + 1)))
    names = range(_NAMES)
    count = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size_mb * 1e6:
            count += 1
            for thing, number in zip(
                record["objects"], rng.choices(names, cum_weights=weights, k=len(record["objects"])), strict=True
            ):
                thing["names"] = [f"thing {number}"]
                thing["synsets"] = [f"thing.n.{number}"]
            file.write(("[" if count == 1 else ",\n") + json.dumps({**record, "image_id": count}))
        file.write("]")
    return count


def _opened(home: Path, folder: Path, read: int = 0) -> Cost:
    return child("-c", _OPEN, str(home), str(folder), str(read), cwd=_REPOSITORY)
