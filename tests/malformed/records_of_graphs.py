"""Lines of scene graphs that are wrong in themselves, or beside each other."""

from __future__ import annotations

from tests.malformed.entries import Damage, Malformed, append, both, put
from tests.malformed.records import NEST, broken

_FAR = [[200, 200, 210, 200, 210, 210, 200, 210]]
_HAT = {"id": "a", "name": "hat", "box": [0, 0, 4, 4]}


def _row(*path: str | int, value: object) -> Damage:
    return put("graphs.jsonl", 1, *path, value=value)


def _more(*path: str | int, value: object) -> Damage:
    return append("graphs.jsonl", 1, *path, value=value)


def _box(value: object) -> Damage:
    return _row("objects", 1, "box", value=value)


def _mask(value: object) -> Damage:
    return _row("objects", 0, "mask", value=value)


_MISTAKES: tuple[tuple[str, Damage, str], ...] = (
    ("an id that another line has", _row("id", value="1"), "id: "),
    ("an id that another line has as a number", _row("id", value=1), "id: "),
    ("an object with the id of another", _more("objects", value=_HAT), "objects[2].id"),
    ("a question with the id of another", _more("questions", value={"id": "q", "text": "Why?"}), "questions[1].id"),
    ("a subject that is not there", _row("relationships", 0, "subject", value="z"), "relationships[0].subject"),
    ("a holder of nothing", _row("relationships", 0, "object", value="z"), "relationships[0].object"),
    ("an unknown field", _row("hight", value=16), "'hight'"),
    ("an unknown field of an object", _row("objects", 1, "atributes", value=[]), "objects[1]"),
    ("an unknown field of a region", _row("regions", 0, "id", value=3), "regions[0]"),
    ("an unknown field of a relationship", _row("relationships", 0, "name", value="on"), "relationships[0]"),
    ("an unknown field of a question", _row("questions", 0, "answer", value="dog"), "questions[0]"),
    ("an unknown field of a very long name", _row("x" * 10_000, value=1), "field="),
    ("an unknown field of two lines", _row("a\nb", value=1), "field='a\\nb'"),
    ("a box outside the picture", _box([24, 0, 5, 5]), "objects[1].box"),
    ("a box above the picture", _box([0, -9, 5, 9]), "objects[1].box"),
    ("a box of three", _box([1, 2, 3]), "objects[1].box"),
    ("a box of five", _box([1, 2, 3, 4, 5]), "objects[1].box"),
    ("a box that is empty", _box([]), "objects[1].box"),
    ("a box of boxes", _box([[1, 2, 3, 4]]), "objects[1].box"),
    ("a box by its corners as objects", _box([{"x": 1, "y": 2}] * 2), "objects[1].box"),
    ("a region outside the picture", _row("regions", 0, "box", value=[0, 16, 24, 4]), "regions[0].box"),
    ("objects within a list", _row("objects", value=[[_HAT]]), "objects[0]"),
    ("a name within lists", _row("objects", 0, "name", value=NEST), "objects[0].name"),
    ("a mask without polygons", _mask([]), "objects[0].mask"),
    ("a mask of numbers", _mask([2, 3, 12, 3, 12, 11]), "objects[0].mask[0]"),
    ("a mask of two corners", _mask([[2, 3, 12, 3]]), "objects[0].mask[0]"),
    ("a mask of an odd count", _mask([[2, 3, 12, 3, 12, 11, 2]]), "objects[0].mask[0]"),
    ("a mask of pairs", _mask([[[2, 3], [12, 3], [12, 11]]]), "objects[0].mask[0][0]"),
    ("a mask with an empty part", _more("objects", 0, "mask", value=[]), "objects[0].mask[1]"),
    ("a mask far from its box", _mask(_FAR), "objects[0].mask"),
    ("a mask beyond all photos", _row("objects", 0, "mask", 0, 0, value=1e7), "objects[0].mask[0]"),
    ("a mask in parts of one", _mask([[0.1, 0.2, 0.5, 0.2, 0.5, 0.7]]), "objects[0].mask"),
    ("a mask in the writing of COCO", _mask({"counts": "1210", "size": [16, 24]}), "objects[0].mask"),
    ("a synset of no form", _row("objects", 0, "synset", value="dog"), "objects[0].synset"),
    ("a synset of two lines", _row("objects", 0, "synset", value="dog.n.01\n"), "objects[0].synset"),
    ("all of what is a crowd", _row("exhaustive", 1, value="Banana"), "exhaustive[1]"),
    ("a width that is not the photo's", _row("width", value=25), "photo: "),
    ("a height that is not the photo's", _row("height", value=15), "photo: "),
    ("width and height changed about", both(_row("width", value=16), _row("height", value=24)), "photo: "),
    ("a photo that is there, but of another name", _row("photo", value="2.PNG"), "2.PNG"),
)

GRAPHS: tuple[Malformed, ...] = tuple(
    broken("graphs", what, damage, "graphs.jsonl:2", named) for what, damage, named in _MISTAKES
)
