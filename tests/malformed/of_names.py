"""Names that lead where no photo of the data set lies, and photos that are no files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.malformed.entries import At, Damage, Malformed, both, put, rename
from tests.malformed.good import encoded
from tests.malformed.of_photos import PHOTOS

_NAMES: Mapping[str, str] = {
    "a folder up": "../secret.png", "a folder down and two up": "images/../../secret.png", "up alone": "..",
    "absolute": "/etc/hostname", "a device": "/dev/zero", "a drive": "C:/secret.png", "a drive alone": "c:secret.png",
    "backslashes": "..\\secret.png", "a server of Windows": "\\\\server\\share\\2.png",
    "a server": "//server/share/2.png",
    "a NUL": "2.png\0.jpg", "two lines": "2\n.png", "a half surrogate": "\udcff.png", "very long": "x" * 5000 + ".png",
    "a very long way": "x/" * 3000 + "2.png", "an address": "https://example.org/2.png", "a file's address": "file:///etc/hostname",
    "its own data": "data:image/png;base64,iVBORw0KGgo=", "a device of Windows": "NUL.png", "a home": "~/2.png",
    "a variable": "$HOME/2.png", "a pattern": "*.png", "the folder itself": ".", "a file within a file": "1.png/2.png",
    "a space before it": " 2.png", "an escape": "\x1b[2J.png", "right to left": "\u202egnp.2",
}  # fmt: skip
_IDS: Mapping[str, str] = {
    "a folder up": "../secret", "absolute": "/etc/hostname", "a drive": "C:secret", "backslashes": "..\\secret",
    "two lines": "2\n2", "very long": "2" * 5000, "an address": "https://example.org/2", "a pattern": "*",
    "a space before it": " 2", "right to left": "\u202e2", "zeros before it": "0002",
    "a sign of no width": "2\u200b",
}  # fmt: skip


def hostile_names() -> Iterator[Malformed]:
    """An entry for each name and source that names photos, or ids that photos are named after."""
    for what, name in _NAMES.items():
        photo = put("graphs.jsonl", 1, "photo", value=name)
        yield _named("graphs", f"a photo named {what}", photo, ("graphs.jsonl:2", "photo"))
        file_name = put("instances.json", "images", 1, "file_name", value=name)
        yield _named("coco", f"a photo named {what}", file_name, ("instances.json", "image 2", "file_name"))
    for what, image_id in _IDS.items():
        yield _named(
            "gqa", f"an image named {what}", rename("sceneGraphs.json", "2", to=image_id), ("sceneGraphs.json",)
        )
        if what == "zeros before it":  # by its number it is the very photo
            continue
        asked = both(
            put("questions.json", "questions", 1, "image_id", value=image_id),
            put("annotations.json", "annotations", 1, "image_id", value=image_id),
        )
        yield _named("vqa-v2", f"a photo named {what}", asked, ("questions.json", "question 200"))
        of_vg = both(
            put("scene_graphs.json", 1, "image_id", value=image_id),
            put("image_data.json", 1, "image_id", value=image_id),
        )
        bad = 2 if what in ("two lines", "very long", "right to left") else 1  # no id: the sizes have none either
        yield _named("visual-genome", f"an image named {what}", of_vg, ("scene_graphs.json",), bad=bad)


def photos_that_are_none() -> Iterator[Malformed]:
    """An entry for each source and thing that is no photo."""
    for data, name in PHOTOS.items():
        for what, make in _THINGS.items():
            yield Malformed(
                name=f"{data}: a photo that is {what}",
                data=data,
                damage=_instead(name, make),
                says=(Path(name).name,),
                at=At.USE,
            )


def _named(data: str, what: str, damage: Damage, says: tuple[str, ...], *, bad: int = 1) -> Malformed:
    return Malformed(name=f"{data}: {what}", data=data, damage=damage, says=says, bad=bad)


def _instead(name: str, make: Callable[[Path], object]) -> Damage:
    def act(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return lambda data: data.after.append(act)


def _link_out(path: Path) -> None:
    secret = Path("secret.png").absolute()
    secret.write_bytes(encoded("PNG", 9))
    path.symlink_to(secret)


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


_THINGS: Mapping[str, Callable[[Path], object]] = {
    "not there": lambda _path: None,
    "a folder": lambda path: path.mkdir(),
    "a link out of the folder": _link_out,
    "a link to nothing": _link_to("nowhere.jpg"),
    "a link in a circle": lambda path: path.symlink_to(path.name),
}
