"""Records of GQA and Visual Genome that are wrong beside each other."""

from __future__ import annotations

from functools import partial

from tests.malformed.entries import Malformed, append, put, rename, rewrite
from tests.malformed.good import Data
from tests.malformed.records import NEST, again, broken, refused, second

_GRAPH = "sceneGraphs.json"

_gqa, _no_gqa = partial(broken, "gqa"), partial(refused, "gqa")
_dog = partial(put, _GRAPH, "2", "objects", "21")
_relation = partial(put, _GRAPH, "2", "objects", "21", "relations", 0)


def _with_a_second_file(data: Data) -> None:
    data.files["val_sceneGraphs.json"] = {"2": data.files[_GRAPH]["2"]}


def _in_a_list(data: Data) -> None:
    data.files[_GRAPH] = list(data.files[_GRAPH].values())


GQA: tuple[Malformed, ...] = (
    _gqa(
        "images that come twice",
        rewrite(_GRAPH, lambda data: data[:-1] + b', "1": ' + data.split(b'"1": ', 1)[1]),
        _GRAPH,
        "image 1",
        lost=(),
        bad=3,
    ),
    _gqa("a relation to nothing", _relation("object", value="99"), "image 2", "objects.21.relations[0].object"),
    _gqa("a relation to another image", _relation("object", value="11"), "image 2", "objects.21.relations[0].object"),
    _gqa("objects in a list", put(_GRAPH, "2", "objects", value=[{"name": "dog"}]), "image 2", "objects"),
    _gqa("a record in a list", put(_GRAPH, "2", value=[{"width": 24}]), "image 2"),
    _gqa("a box outside the picture", _dog("x", value=24), "image 2", "objects.21.x"),
    _gqa("a name within lists", _dog("name", value=NEST), "image 2", "objects.21.name"),
    _gqa("an object of a blank id", rename(_GRAPH, "2", "objects", "22", to=" "), "image 2", "objects"),
    _gqa("an object of an id of two lines", rename(_GRAPH, "2", "objects", "22", to="2\n2"), "image 2", "objects"),
    _gqa("an object of a very long id", rename(_GRAPH, "2", "objects", "22", to="2" * 10_000), "image 2", "objects"),
    _gqa("an image without an id", rename(_GRAPH, "2", to=""), _GRAPH),
    _gqa(
        "an object that comes twice",
        rewrite(_GRAPH, lambda data: data.replace(b'"22": ', b'"21": ', 1)),
        "image 2",
        "21",
    ),
    _gqa(
        "a width that comes twice",
        rewrite(_GRAPH, lambda data: second(data, b'"width": 24', b'"width": 24, "width": 25')),
        "image 2",
        "width",
    ),
    _no_gqa("a second file with one of the images", _with_a_second_file, _GRAPH, "2"),
    _no_gqa("scene graphs in a list", _in_a_list, _GRAPH),
    _no_gqa("no scene graph", lambda data: data.files[_GRAPH].clear(), _GRAPH),
)

_GRAPHS, _SIZES = "scene_graphs.json", "image_data.json"

_vg, _no_vg = partial(broken, "visual-genome"), partial(refused, "visual-genome")
_thing = partial(put, _GRAPHS, 1, "objects")
_related = partial(put, _GRAPHS, 1, "relationships", 0)


def _by_ids(file: str) -> partial[None]:
    def damage(data: Data) -> None:
        data.files[file] = {"1": {}}

    return partial(damage)


VISUAL_GENOME: tuple[Malformed, ...] = (
    _vg("an image that comes twice", again(_GRAPHS), _GRAPHS, "image 2", lost=()),
    _vg("two objects of one id", _thing(1, "object_id", value=21), "image 2", "object 21.names"),
    _vg("a subject that is not there", _related("subject_id", value=99), "image 2", "relationships[0].subject_id"),
    _vg("a holder of nothing", _related("object_id", value=11), "image 2", "relationships[0].object_id"),
    _vg("a box outside the picture", _thing(0, "x", value=24), "image 2", "object 21.x"),
    _vg("a synset of no form", _thing(0, "synsets", 0, value="dog"), "image 2", "object 21.synsets[0]"),
    _vg("objects by their ids", _thing(value={"21": {"names": ["dog"]}}), "image 2", "objects"),
    _vg("a name within lists", _thing(0, "names", value=NEST), "image 2", "object 21.names"),
    _vg("a merged id in a list", _thing(0, "merged_object_ids", value=[[3]]), "object 21.merged_object_ids[0]"),
    _vg("a size of no image", put(_SIZES, 1, "image_id", value=None), _SIZES, "record 1", lost=()),
    _vg("two sizes of one image", again(_SIZES, width=99), _SIZES, "image 2", lost=()),
    _no_vg("scene graphs by their ids", _by_ids(_GRAPHS), _GRAPHS),
    _no_vg("no scene graph", lambda data: data.files[_GRAPHS].clear(), _GRAPHS),
    _no_vg("sizes by their ids", _by_ids(_SIZES), _SIZES),
)

_ATTRIBUTES, _RELATIONSHIPS = "attributes.json", "relationships.json"

_part = partial(broken, "visual-genome in parts")
_of_part = partial(put, _ATTRIBUTES, 1, "attributes", 0)

IN_PARTS: tuple[Malformed, ...] = (
    *(
        entry
        for file in (_ATTRIBUTES, _RELATIONSHIPS)
        for entry in (
            _part(f"{file}, a record of no such image", append(file, value={"image_id": 9}), file, "image 9", lost=()),
            _part(f"{file}, two records of one image", again(file), file, "image 2", lost=()),
            _part(f"{file}, a record of no image", append(file, value={"attributes": []}), file, "record 3", lost=()),
            _part(f"{file}, a record that is a number", append(file, value=5), file, "record 3", lost=()),
        )
    ),
    _part("attributes of a thing without a box", _of_part("object_id", value=99), _ATTRIBUTES, "image 2", "object 99"),
    _part("attributes that are a text", _of_part("attributes", value="brown"), _ATTRIBUTES, "attributes[0].attributes"),
    _part(
        "a relationship to nothing",
        put(_RELATIONSHIPS, 1, "relationships", 0, "object_id", value=99),
        _RELATIONSHIPS,
        "image 2",
        "relationships[0].object_id",
    ),
)
