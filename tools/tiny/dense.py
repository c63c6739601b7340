"""Exact labels for every cell of a picture, from the scene graph and its masks: what makes a small encoder see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.picture_world.looks import CATEGORIES, NAMES
from tools.tiny.render import CELLS, SPOTS, Rendered

COLOURS: tuple[str, ...] = CATEGORIES["colour"]
SAID: tuple[str, ...] = (
    *NAMES, *(word for words in CATEGORIES.values() for word in words),
)  # fmt: skip
"""What a thing whose centre is in a cell is said to be: its name and attributes."""

NO_COLOUR = 255
_NUMBER_OF_NAME = {name: number for number, name in enumerate(NAMES, 1)}
_NUMBER_OF_COLOUR = {colour: number for number, colour in enumerate(COLOURS, 1)}
_PLACE_IN_SAID = {word: place for place, word in enumerate(SAID)}
_PER_CELL = (SPOTS // CELLS) ** 2
_MOST_THINGS = 40


@dataclass(frozen=True, slots=True, eq=False)
class DenseLabels:
    """Labels of a whole set of scenes, ready to be looked up.

    Attributes:
        spots: uint8, N x SPOTS x SPOTS: 1 + index of the thing.
        name: uint8, N x things: 1 + index in NAMES, 0 for none, looked up by what is in ``spots``.
        colour: uint8, likewise; 1 + index in COLOURS, or NO_COLOUR where no colour can be said.
        centres: int32, M x 3, sorted by scene: scene, cell, index in SAID.
        first: int64, N + 1: where each scene's rows of ``centres`` start.
    """

    spots: NDArray[np.uint8]
    name: NDArray[np.uint8]
    colour: NDArray[np.uint8]
    centres: NDArray[np.int32]
    first: NDArray[np.int64]

    def of(self, chosen: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor]:
        """Names and colours (B, cells, spots in a cell) and what is said of each cell (B, cells, SAID; 0 or 1)."""
        things = self.spots[chosen].reshape(len(chosen), -1)
        names = np.take_along_axis(self.name[chosen], things, axis=1)
        colours = np.take_along_axis(self.colour[chosen], things, axis=1)
        said = torch.zeros(len(chosen), CELLS * CELLS, len(SAID))
        for row, scene in enumerate(chosen):
            part = self.centres[self.first[scene] : self.first[scene + 1]]
            said[row, part[:, 1], part[:, 2]] = 1.0
        return _by_cell(names), _by_cell(colours), said


def _by_cell(spots: NDArray[np.uint8]) -> Tensor:
    side = SPOTS // CELLS
    grid = spots.reshape(-1, CELLS, side, CELLS, side).transpose(0, 1, 3, 2, 4)
    return torch.from_numpy(grid.reshape(len(spots), CELLS * CELLS, _PER_CELL).astype(np.int64))


def dense_labels(rendered: Rendered) -> DenseLabels:
    """The labels of all scenes of a rendered set."""
    count = len(rendered.scenes)
    name = np.zeros((count, _MOST_THINGS), np.uint8)
    colour = np.zeros((count, _MOST_THINGS), np.uint8)
    centres: list[tuple[int, int, int]] = []
    first = [0]
    for row, scene in enumerate(rendered.scenes):
        for at, thing in enumerate(scene.objects, 1):
            name[row, at] = _NUMBER_OF_NAME[thing.name]
            colour[row, at] = next(
                (_NUMBER_OF_COLOUR[word] for word in thing.attributes if word in _NUMBER_OF_COLOUR), NO_COLOUR
            )
            cell = cell_of(scene, at - 1)
            centres.extend((row, cell, _PLACE_IN_SAID[word]) for word in (thing.name, *thing.attributes))
        first.append(len(centres))
    return DenseLabels(
        spots=np.ascontiguousarray(rendered.spots),
        name=name,
        colour=colour,
        centres=np.array(centres, np.int32),
        first=np.array(first, np.int64),
    )


def cell_of(scene: Scene, index: int) -> int:
    """The cell of the thing's centre, once the picture is padded to a square."""
    side = max(scene.width, scene.height)
    x, y = scene.objects[index].box.centre
    across, down = x + (side - scene.width) / 2, y + (side - scene.height) / 2
    column, row = (min(CELLS - 1, max(0, int(value * CELLS / side))) for value in (across, down))
    return row * CELLS + column


class DenseHeads(nn.Module):
    """Reads the labels off picture features; dropped after training."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.names = nn.Linear(width, _PER_CELL * (1 + len(NAMES)))
        self.colours = nn.Linear(width, _PER_CELL * (1 + len(COLOURS)))
        self.said = nn.Linear(width, len(SAID))
        nn.init.constant_(self.said.bias, -4.0)
        self.place = nn.Linear(width, 2 * CELLS)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = self.norm(features)
        shape = (*seen.shape[:2], _PER_CELL, -1)
        names, colours = self.names(seen).reshape(shape), self.colours(seen).reshape(shape)
        return names.float(), colours.float(), self.said(seen).float()

    def loss(self, features: Tensor, labels: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """Names, colours, centres and places together; background counts a fifth.

        Without the places, a feature does not tell its column: nothing else that it is to say depends on left or right.
        """
        names, colours, said = self(features)
        true_names, true_colours, true_said = labels
        weight = torch.where(true_names > 0, 1.0, 0.2).flatten()
        of_names = functional.cross_entropy(names.flatten(0, 2), true_names.flatten(), reduction="none")
        of_colours = functional.cross_entropy(
            colours.flatten(0, 2), true_colours.flatten(), reduction="none", ignore_index=NO_COLOUR
        )
        of_said = functional.binary_cross_entropy_with_logits(said, true_said, reduction="sum") / true_said.sum()
        spots = ((of_names + 0.5 * of_colours) * weight).sum() / weight.sum()
        places, true_places = self.places(features)
        return spots + 0.5 * of_said + 0.2 * functional.cross_entropy(places, true_places)

    def places(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of each cell's row and column, (2 B cells, CELLS), and the true ones."""
        logits: Tensor = self.place(self.norm(features)).float().reshape(-1, CELLS)
        cells = torch.arange(CELLS * CELLS)
        return logits, torch.stack([cells // CELLS, cells % CELLS], -1).repeat(len(features), 1).flatten()

    @torch.no_grad()
    def scores(self, features: Tensor, labels: tuple[Tensor, Tensor, Tensor]) -> dict[str, float]:
        """Shares named right: names and colours on spots of things; names, and the rest, found at centres (F1)."""
        names, colours, said = self(features)
        true_names, true_colours, true_said = labels
        thing = true_names > 0
        coloured = thing & (true_colours != NO_COLOUR)
        found, right = said > 0, true_said > 0
        places, true_places = self.places(features)

        def f1(part: slice) -> float:
            both = (found[..., part] & right[..., part]).sum()
            return float(2 * both / (found[..., part].sum() + right[..., part].sum()).clamp(min=1))

        return {
            "spot name": float((names.argmax(-1) == true_names)[thing].float().mean()),
            "spot colour": float((colours.argmax(-1) == true_colours)[coloured].float().mean()),
            "background": float((names.argmax(-1) == 0)[~thing].float().mean()),
            "centre name F1": f1(slice(0, len(NAMES))),
            "centre colour F1": f1(slice(len(NAMES), len(NAMES) + len(COLOURS))),
            "centre rest F1": f1(slice(len(NAMES) + len(COLOURS), len(SAID))),
            "place": float((places.argmax(-1) == true_places).float().mean()),
        }
