"""Data of which one record can be used and one cannot."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image


def half_bad(folder: Path) -> str:
    """The spec of a source of two scenes, "good" and one with a box outside of its photo; it is written here."""
    Image.new("RGB", (24, 16), (90, 140, 60)).save(folder / "a.png")
    rows = [
        {"id": name, "photo": "a.png", "width": 24, "height": 16, "exhaustive": ["dog", "cat"],
         "objects": [{"id": "d", "name": "dog", "box": box}]}
        for name, box in (("good", [2, 3, 10, 8]), ("bad", [99, 0, 5, 5]))
    ]  # fmt: skip
    file = folder / "half.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"graphs:{file}:{folder}"
