"""Cards as photos with scene graphs, for runs on the faulty server."""

from __future__ import annotations

import json
import random
from pathlib import Path

from pytest_vqamt.probing.cards import COLOURS, Card, render_card

NAMES = ("car", "boat", "kite", "cup", "dog", "cat", "chair", "umbrella")
"""The things of scenes of cards: a card shows the one whose place is its number modulo 8."""


def write_scenes(folder: Path, count: int, seed: int = 0) -> None:
    """Writes cards of three shapes, red or blue, and what they show, as ``--vqamt-data=photos:DIR`` reads it."""
    chosen = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for place in range(count):
        number, colour = chosen.randrange(100, 1000), chosen.choice(("red", "blue"))
        width, height = chosen.choice(((224, 224), (320, 224), (224, 300)))
        card = Card(number=number, ground=COLOURS[colour], size=(width, height), nonce=place + 1)
        render_card(card).save(folder / f"{place}.png")
        thing = {"id": "1", "name": NAMES[number % len(NAMES)], "box": [0, 0, width, height], "attributes": [colour]}
        row = {"id": str(place), "photo": f"{place}.png", "width": width, "height": height}
        rows.append(json.dumps({**row, "objects": [thing], "exhaustive": NAMES}))
    (folder / "graphs.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
