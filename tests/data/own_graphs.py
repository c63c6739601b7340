"""Folders of photos with scene graphs, written by the tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

Row = dict[str, Any]

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "scene-graphs.md").read_text(encoding="utf-8")


def example() -> Row:
    """The first row that docs/reference/scene-graphs.md shows, a fresh one each time."""
    text, *_ = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    row: Row = json.loads(text)
    return row


def plain(scene_id: object = "s", **fields: object) -> Row:
    """A row with what must be there, and ``fields``."""
    return {"id": scene_id, "photo": f"{scene_id}.png", "width": 24, "height": 16, **fields}


def write(folder: Path, rows: Iterable[Row | str], name: str = "graphs.jsonl", *, photos: Path | None = None) -> Path:
    """Writes the rows, and the photo of each that is not text."""
    lines = []
    for number, row in enumerate(rows):
        if not isinstance(row, str):
            photo = (photos or folder) / row["photo"]
            photo.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (row["width"], row["height"]), (number, 100, 200)).save(photo)
        lines.append(row if isinstance(row, str) else json.dumps(row))
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder / name
