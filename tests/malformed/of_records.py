"""Records that are wrong beside each other: twice the same id, an id of nothing, wrong nesting, the wrong list."""

from __future__ import annotations

from collections.abc import Iterator

from tests.malformed.entries import At, Damage, Malformed, append, both, drop, put, rename, rewrite
from tests.malformed.good import Data, Json

_NEST: Json = [[[[[[[[[["dog"]]]]]]]]]]
_FAR = [[200, 200, 210, 200, 210, 210, 200, 210]]
_OBJECT = {"id": "a", "name": "hat", "box": [0, 0, 4, 4]}


def broken_records() -> Iterator[Malformed]:
    """An entry for each mistake."""
    for what, damage, named in _GRAPHS:
        yield Malformed(name=f"graphs: {what}", data="graphs", damage=damage, says=("graphs.jsonl:2", named))
    yield from (_entry("coco", *row) for row in _COCO)
    yield from (_entry("gqa", *row) for row in _GQA)
    yield from (_entry("visual-genome", *row) for row in _VISUAL_GENOME)
    yield from (_entry("visual-genome in parts", *row) for row in _IN_PARTS)
    yield from (_entry("vqa-v2", *row) for row in _VQA)
    for what, data, damage, file in _NO_SUCH_LIST:
        yield Malformed(name=f"{data}: {what}", data=data, damage=damage, says=(file,), at=At.SOURCE)


def _entry(
    data: str, what: str, damage: Damage, says: tuple[str, ...], lost: tuple[str, ...] = ("2",), bad: int = 1
) -> Malformed:
    at = At.SOURCE if not bad else At.RECORD
    return Malformed(name=f"{data}: {what}", data=data, damage=damage, says=says, lost=lost, bad=bad, at=at)


def _row(*path: str | int, value: object) -> Damage:
    return put("graphs.jsonl", 1, *path, value=value)


def _more(*path: str | int, value: object) -> Damage:
    return append("graphs.jsonl", 1, *path, value=value)


_GRAPHS: tuple[tuple[str, Damage, str], ...] = (
    ("an id that another line has", _row("id", value="1"), "id: "),
    ("an id that another line has as a number", _row("id", value=1), "id: "),
    ("an object with the id of another", _more("objects", value=_OBJECT), "objects[2].id"),
    ("a question with the id of another", _more("questions", value={"id": "q", "text": "Why?"}), "questions[1].id"),
    ("a subject that is not there", _row("relationships", 0, "subject", value="z"), "relationships[0].subject"),
    ("an object of a relationship that is not there", _row("relationships", 0, "object", value="z"), "relationships[0]"),
    ("an unknown field", _row("hight", value=16), "'hight'"),
    ("an unknown field of an object", _row("objects", 1, "atributes", value=[]), "objects[1]"),
    ("an unknown field of a region", _row("regions", 0, "id", value=3), "regions[0]"),
    ("an unknown field of a relationship", _row("relationships", 0, "name", value="on"), "relationships[0]"),
    ("an unknown field of a question", _row("questions", 0, "answer", value="dog"), "questions[0]"),
    ("an unknown field of a very long name", _row("x" * 10_000, value=1), "field="),
    ("an unknown field of two lines", _row("a\nb", value=1), "field='a\\nb'"),
    ("a box outside the picture", _row("objects", 1, "box", value=[24, 0, 5, 5]), "objects[1].box"),
    ("a box above the picture", _row("objects", 1, "box", value=[0, -9, 5, 9]), "objects[1].box"),
    ("a box of three", _row("objects", 1, "box", value=[1, 2, 3]), "objects[1].box"),
    ("a box of five", _row("objects", 1, "box", value=[1, 2, 3, 4, 5]), "objects[1].box"),
    ("a box that is empty", _row("objects", 1, "box", value=[]), "objects[1].box"),
    ("a box of boxes", _row("objects", 1, "box", value=[[1, 2, 3, 4]]), "objects[1].box"),
    ("a box by its corners as objects", _row("objects", 1, "box", value=[{"x": 1, "y": 2}] * 2), "objects[1].box"),
    ("a region outside the picture", _row("regions", 0, "box", value=[0, 16, 24, 4]), "regions[0].box"),
    ("objects within a list", _row("objects", value=[[_OBJECT]]), "objects[0]"),
    ("a name within lists", _row("objects", 0, "name", value=_NEST), "objects[0].name"),
    ("a mask without polygons", _row("objects", 0, "mask", value=[]), "objects[0].mask"),
    ("a mask of numbers", _row("objects", 0, "mask", value=[2, 3, 12, 3, 12, 11]), "objects[0].mask[0]"),
    ("a mask of two corners", _row("objects", 0, "mask", value=[[2, 3, 12, 3]]), "objects[0].mask[0]"),
    ("a mask of an odd count", _row("objects", 0, "mask", value=[[2, 3, 12, 3, 12, 11, 2]]), "objects[0].mask[0]"),
    ("a mask of pairs", _row("objects", 0, "mask", value=[[[2, 3], [12, 3], [12, 11]]]), "objects[0].mask[0][0]"),
    ("a mask of nothing and a mask", _more("objects", 0, "mask", value=[]), "objects[0].mask[1]"),
    ("a mask far from its box", _row("objects", 0, "mask", value=_FAR), "objects[0].mask"),
    ("a mask beyond all photos", _row("objects", 0, "mask", 0, 0, value=1e7), "objects[0].mask[0]"),
    ("a mask in parts of one", _row("objects", 0, "mask", value=[[0.1, 0.2, 0.5, 0.2, 0.5, 0.7]]), "objects[0].mask"),
    ("a mask in the writing of COCO", _row("objects", 0, "mask", value={"counts": "1210", "size": [16, 24]}), "objects[0].mask"),
    ("a synset of no form", _row("objects", 0, "synset", value="dog"), "objects[0].synset"),
    ("a synset of two lines", _row("objects", 0, "synset", value="dog.n.01\n"), "objects[0].synset"),
    ("all of what is a crowd", _row("exhaustive", 1, value="Banana"), "exhaustive[1]"),
    ("a width that is not the photo's", _row("width", value=25), "photo: "),
    ("a height that is not the photo's", _row("height", value=15), "photo: "),
    ("width and height changed about", both(_row("width", value=16), _row("height", value=24)), "photo: "),
    ("a photo of another size", _row("photo", value="small.png"), "small.png"),
)  # fmt: skip


def _again(path: str, *, file: str, **changes: Json) -> Damage:
    """Puts the second record of a list behind it once more, changed."""

    def damage(data: Data) -> None:
        rows = data.files[file] if not path else data.files[file][path]
        rows.append({**rows[1], **changes})

    return damage


_INSTANCES, _CAPTIONS = "instances.json", "captions.json"
_NEW: Json = {"id": 99, "image_id": 2, "category_id": 18, "bbox": [1, 1, 5, 5], "iscrowd": 0}
_COCO: tuple[tuple[object, ...], ...] = (
    ("an image of the id of another", _again("images", file=_INSTANCES, file_name="1b.jpg"), (_INSTANCES, "image 2: id")),
    ("an image of the id of another as a text", _again("images", file=_INSTANCES, id="2", file_name="x.jpg"),
     (_INSTANCES, "image 2: id")),
    ("an image with the photo of another", put(_INSTANCES, "images", 2, "file_name", value="2.jpg"),
     (_INSTANCES, "file_name"), ("2", "3"), 2),
    ("an annotation of the id of another", append(_INSTANCES, "annotations", value={**_NEW, "id": 11}),
     (_INSTANCES, "annotation 11: id")),
    ("an annotation of an image that is not there", append(_INSTANCES, "annotations", value={**_NEW, "image_id": 9}),
     (_INSTANCES, "annotation 99: image_id"), ()),
    ("an annotation of no category", append(_INSTANCES, "annotations", value={**_NEW, "category_id": 9}),
     (_INSTANCES, "annotation 99: category_id")),
    ("an annotation outside the picture", append(_INSTANCES, "annotations", value={**_NEW, "bbox": [24, 0, 5, 5]}),
     (_INSTANCES, "annotation 99: bbox")),
    ("an annotation by its corners", append(_INSTANCES, "annotations", value={**_NEW, "bbox": [1, 1, 5]}),
     (_INSTANCES, "annotation 99: bbox")),
    ("an annotation in a list", append(_INSTANCES, "annotations", value=[_NEW]), (_INSTANCES, "annotations[9]"), ()),
    ("an annotation that is null", append(_INSTANCES, "annotations", value=None), (_INSTANCES, "annotations[9]"), ()),
    ("a segmentation within lists", put(_INSTANCES, "annotations", 3, "segmentation", value=_NEST),
     (_INSTANCES, "annotation 21: segmentation[0]")),
    ("a caption of no image", append(_CAPTIONS, "annotations", value={"id": 50, "caption": "A dog."}),
     (_CAPTIONS, "caption 50: image_id"), ()),
    ("a caption that is a text", append(_CAPTIONS, "annotations", value="A dog."), (_CAPTIONS, "annotations[3]"), ()),
    ("two categories of one id", append(_INSTANCES, "categories", value={"id": 18, "name": "cat"}),
     (_INSTANCES, "categories[2].id"), (), 0),
    ("a category without a name", append(_INSTANCES, "categories", value={"id": 19}),
     (_INSTANCES, "categories[2].name"), (), 0),
    ("a category that is a text", append(_INSTANCES, "categories", value="cat"), (_INSTANCES, "categories[2]"), (), 0),
    ("an annotation with its box twice", rewrite(_INSTANCES, lambda data: data.replace(b'"bbox"', b'"bbox": [], "bbox"', 1)),
     (_INSTANCES, "'bbox' twice"), (), 0),
)  # fmt: skip

_GRAPH = "sceneGraphs.json"
_GQA: tuple[tuple[object, ...], ...] = (
    ("an image that comes twice", rewrite(_GRAPH, lambda data: data[:-1] + b', "1": ' + data.split(b'"1": ', 1)[1]),
     (_GRAPH, "image 1"), (), 3),
    ("a relation to nothing", put(_GRAPH, "2", "objects", "21", "relations", 0, "object", value="99"),
     ("image 2", "objects.21.relations[0].object")),
    ("a relation to an object of another image", put(_GRAPH, "2", "objects", "21", "relations", 0, "object", value="11"),
     ("image 2", "objects.21.relations[0].object")),
    ("objects in a list", put(_GRAPH, "2", "objects", value=[{"name": "dog"}]), ("image 2", "objects")),
    ("a record in a list", put(_GRAPH, "2", value=[{"width": 24}]), ("image 2",)),
    ("a box outside the picture", put(_GRAPH, "2", "objects", "21", "x", value=24), ("image 2", "objects.21.x")),
    ("a name within lists", put(_GRAPH, "2", "objects", "21", "name", value=_NEST), ("image 2", "objects.21.name")),
    ("an object of a blank id", rename(_GRAPH, "2", "objects", "22", to=" "), ("image 2", "objects")),
    ("an object of an id of two lines", rename(_GRAPH, "2", "objects", "22", to="2\n2"), ("image 2", "objects")),
    ("an object of a very long id", rename(_GRAPH, "2", "objects", "22", to="2" * 10_000), ("image 2", "objects")),
    ("an image without an id", rename(_GRAPH, "2", to=""), (_GRAPH,)),
    ("an object that comes twice", rewrite(_GRAPH, lambda data: data.replace(b'"22": ', b'"21": ', 1)), ("image 2", "21")),
    ("a width that comes twice", rewrite(_GRAPH, lambda data: _second(data, b'"width": 24', b'"width": 24, "width": 25')),
     ("image 2", "width")),
    ("a second file with one of the images", lambda data: data.files.update({"val_sceneGraphs.json": {"2": data.files[_GRAPH]["2"]}}),
     ("sceneGraphs.json", "2"), (), 0),
)  # fmt: skip

_WHOLE_GRAPHS, _SIZES = "scene_graphs.json", "image_data.json"
_VISUAL_GENOME: tuple[tuple[object, ...], ...] = (
    ("an image that comes twice", _again("", file=_WHOLE_GRAPHS), (_WHOLE_GRAPHS, "image 2"), ()),
    ("two objects of one id", put(_WHOLE_GRAPHS, 1, "objects", 1, "object_id", value=21), ("image 2", "object 21.names")),
    ("a subject that is not there", put(_WHOLE_GRAPHS, 1, "relationships", 0, "subject_id", value=99),
     ("image 2", "relationships[0].subject_id")),
    ("an object of a relationship that is not there", put(_WHOLE_GRAPHS, 1, "relationships", 0, "object_id", value=11),
     ("image 2", "relationships[0].object_id")),
    ("a box outside the picture", put(_WHOLE_GRAPHS, 1, "objects", 0, "x", value=24), ("image 2", "object 21.x")),
    ("a synset of no form", put(_WHOLE_GRAPHS, 1, "objects", 0, "synsets", 0, value="dog"), ("image 2", "object 21.synsets[0]")),
    ("objects by their ids", put(_WHOLE_GRAPHS, 1, "objects", value={"21": {"names": ["dog"]}}), ("image 2", "objects")),
    ("a name within lists", put(_WHOLE_GRAPHS, 1, "objects", 0, "names", value=_NEST), ("image 2", "object 21.names")),
    ("a merged id that is a list", put(_WHOLE_GRAPHS, 1, "objects", 0, "merged_object_ids", value=[[3]]),
     ("image 2", "object 21.merged_object_ids[0]")),
    ("a size of no image", put(_SIZES, 1, "image_id", value=None), (_SIZES, "record 1"), ()),
    ("two sizes of one image", _again("", file=_SIZES, width=99), (_SIZES, "image 2"), ()),
)  # fmt: skip
_PARTS = ("attributes.json", "relationships.json")
_IN_PARTS: tuple[tuple[object, ...], ...] = (
    *(
        (f"{file} with a record of an image that is not there", append(file, value={"image_id": 9}), (file, "image 9"), ())
        for file in _PARTS
    ),
    *((f"{file} with two records of one image", _again("", file=file), (file, "image 2"), ()) for file in _PARTS),
    *((f"{file} with a record of no image", append(file, value={"attributes": []}), (file, "record 3"), ()) for file in _PARTS),
    *((f"{file} with a record that is a number", append(file, value=5), (file, "record 3"), ()) for file in _PARTS),
    ("attributes of a thing without a box", put("attributes.json", 1, "attributes", 0, "object_id", value=99),
     ("attributes.json", "image 2", "object 99")),
    ("attributes that are a text", put("attributes.json", 1, "attributes", 0, "attributes", value="brown"),
     ("attributes.json", "image 2", "attributes[0].attributes")),
    ("a relationship to nothing", put("relationships.json", 1, "relationships", 0, "object_id", value=99),
     ("relationships.json", "image 2", "relationships[0].object_id")),
)  # fmt: skip

_QUESTIONS, _ANSWERS = "questions.json", "annotations.json"
_VQA: tuple[tuple[object, ...], ...] = (
    ("two questions of one id", _again("questions", file=_QUESTIONS), (_QUESTIONS, "question 200: question_id")),
    ("a question without answers", drop(_ANSWERS, "annotations", 1), (_QUESTIONS, "question 200")),
    ("a question that is answered twice", _again("annotations", file=_ANSWERS), (_ANSWERS, "question 200: question_id")),
    ("a question without an id", drop(_QUESTIONS, "questions", 1, "question_id"), (_QUESTIONS, "questions[1]: question_id")),
    ("a question that is a text", put(_QUESTIONS, "questions", 1, value="Why?"), (_QUESTIONS, "questions[1]")),
    ("answers without a question", drop(_ANSWERS, "annotations", 1, "question_id"),
     (_ANSWERS, "annotations[1]: question_id"), ("2",), 2),
    ("answers that are a text", put(_ANSWERS, "annotations", 1, value="dog"), (_ANSWERS, "annotations[1]"), ("2",), 2),
    ("answers that are empty", put(_ANSWERS, "annotations", 1, "answers", value=[]), (_ANSWERS, "question 200: answers")),
    ("answers of another photo", put(_ANSWERS, "annotations", 1, "image_id", value=1), (_ANSWERS, "question 200: image_id")),
    ("a question about a photo that is not there", both(put(_QUESTIONS, "questions", 1, "image_id", value=9),
     put(_ANSWERS, "annotations", 1, "image_id", value=9)), (_QUESTIONS, "question 200")),
)  # fmt: skip

_NO_SUCH_LIST: tuple[tuple[str, str, Damage, str], ...] = (
    ("no images", "coco", drop(_INSTANCES, "images"), _INSTANCES),
    ("no annotations", "coco", drop(_INSTANCES, "annotations"), _INSTANCES),
    ("no categories", "coco", drop(_INSTANCES, "categories"), _INSTANCES),
    ("images by their ids", "coco", put(_INSTANCES, "images", value={"1": {}}), _INSTANCES),
    ("annotations that are null", "coco", put(_INSTANCES, "annotations", value=None), _INSTANCES),
    ("images of which there is none", "coco", put(_INSTANCES, "images", value=[]), _INSTANCES),
    ("captions in place of instances", "coco", lambda data: data.files.update({_INSTANCES: data.files[_CAPTIONS]}), _INSTANCES),
    ("captions by their ids", "coco", put(_CAPTIONS, "annotations", value={"1": "A dog."}), _CAPTIONS),
    ("scene graphs in a list", "gqa", lambda data: data.files.update({_GRAPH: list(data.files[_GRAPH].values())}), _GRAPH),
    ("no scene graph", "gqa", lambda data: data.files[_GRAPH].clear(), _GRAPH),
    ("scene graphs by their ids", "visual-genome", lambda data: data.files.update({_WHOLE_GRAPHS: {"1": {}}}), _WHOLE_GRAPHS),
    ("no scene graph", "visual-genome", lambda data: data.files[_WHOLE_GRAPHS].clear(), _WHOLE_GRAPHS),
    ("sizes by their ids", "visual-genome", lambda data: data.files.update({_SIZES: {"1": {}}}), _SIZES),
    ("questions in a list of their own", "vqa-v2", lambda data: data.files.update({_QUESTIONS: data.files[_QUESTIONS]["questions"]}), _QUESTIONS),
    ("questions by their ids", "vqa-v2", put(_QUESTIONS, "questions", value={"1": {}}), _QUESTIONS),
    ("questions of which there is none", "vqa-v2", put(_QUESTIONS, "questions", value=[]), _QUESTIONS),
    ("answers of which there is none", "vqa-v2", put(_ANSWERS, "annotations", value=[]), _ANSWERS),
    ("no answers at all", "vqa-v2", lambda data: data.files.pop(_ANSWERS), _ANSWERS),
)  # fmt: skip


def _second(data: bytes, what: bytes, to: bytes) -> bytes:
    """``data`` with its second ``what`` replaced."""
    first = data.index(what) + len(what)
    return data[:first] + data[first:].replace(what, to, 1)
