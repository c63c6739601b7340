"""How fast the picture world is made. Aim: 150 scenes a second and core, drawn at 224 x 224."""

from __future__ import annotations

from pytest_vqamt.picture_world.source import PictureWorld
from tools.benchmarks.measuring import cpu_s, show

_SCENES = 400


def main() -> None:
    PictureWorld(1, seed=1).scene(0)  # what is loaded once is not the scenes'
    world = PictureWorld(_SCENES, seed=2)
    known_s = cpu_s(lambda: [world.scene(index) for index in range(_SCENES)])
    fresh = PictureWorld(_SCENES, seed=3)
    drawn_s = cpu_s(lambda: [fresh.photo(fresh.scene(index).photo) for index in range(_SCENES)])
    show(
        "The picture world, scenes a second of processor time",
        ("", "scenes/s"),
        [
            ("scenes with all that is known of them", f"{_SCENES / known_s:.0f}"),
            ("scenes and their pictures, 224 x 224", f"{_SCENES / drawn_s:.0f}"),
        ],
    )
