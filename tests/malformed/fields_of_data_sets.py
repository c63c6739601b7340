"""The fields of the published data sets, in the second record of each of their files."""

from __future__ import annotations

from tests.malformed.of_fields import IS_NULL, NO_EXTENT, NO_ID, NO_LIST, NO_NUMBER, NO_OBJECT, NO_SIDE, NO_TEXT, Field

_IMAGE, _ANNOTATION = ("images", 1), ("annotations", 3)
_WITH_ITS_ANNOTATIONS = 4
COCO: tuple[Field, ...] = (
    Field(path=_IMAGE, where="instances.json", named="images[1]", no=NO_OBJECT, bad=_WITH_ITS_ANNOTATIONS),
    Field(path=(*_IMAGE, "id"), where="instances.json: images[1]", named="id", no=NO_ID, bad=_WITH_ITS_ANNOTATIONS),
    Field(path=(*_IMAGE, "file_name"), where="instances.json: image 2", named="file_name", no=NO_TEXT),
    Field(path=(*_IMAGE, "width"), where="instances.json: image 2", named="width", no=NO_SIDE),
    Field(path=(*_IMAGE, "height"), where="instances.json: image 2", named="height", no=NO_SIDE),
    Field(path=(*_ANNOTATION, "id"), where="instances.json: annotations[3]", named="id", no=NO_ID),
    Field(path=(*_ANNOTATION, "category_id"), where="instances.json: annotation 21", named="category_id", no=NO_ID),
    Field(path=(*_ANNOTATION, "bbox"), where="instances.json: annotation 21", named="bbox", no=NO_LIST),
    Field(path=(*_ANNOTATION, "bbox", 1), where="instances.json: annotation 21", named="bbox[1]", no=NO_NUMBER),
    Field(path=(*_ANNOTATION, "bbox", 2), where="instances.json: annotation 21", named="bbox",
          no={key: value for key, value in NO_EXTENT.items() if key != "zero"}),
    Field(
        path=(*_ANNOTATION, "iscrowd"), where="instances.json: annotation 21", named="iscrowd",
        no={"two": 2, "negative": -1, "a text": "0", "a half": 0.5}, needed=False,
    ),
    Field(
        path=(*_ANNOTATION, "segmentation"), where="instances.json: annotation 21", named="segmentation",
        no={"a text": "square", "a number": 3, "true": True, "an empty object": {}}, needed=False,
    ),
    Field(
        path=(*_ANNOTATION, "segmentation", 0), where="instances.json: annotation 21", named="segmentation[0]",
        no={**NO_LIST, "of two points": [1, 2, 3, 4], "of an odd count": [1, 2, 3, 4, 5, 6, 7]},
    ),
    Field(
        path=(*_ANNOTATION, "segmentation", 0, 2), where="instances.json: annotation 21", named="segmentation[0]",
        no={key: value for key, value in NO_NUMBER.items() if key != "true"} | {"far away": 1e9},
    ),
    Field(path=("annotations", 4, "segmentation", "counts"), where="instances.json: annotation 22",
          named="segmentation.counts", no={"a number": 3, "an object": {}, "empty": [], "of halves": [16.5, 367.5],
          "too few": [16, 8], "too many": [16, 8, 400], "negative": [16, -8, 376], "texts": ["16", "368"],
          "no compression": "16 8 360", "compression cut off": "`0"}),
    Field(path=("annotations", 4, "segmentation", "size"), where="instances.json: annotation 22",
          named="segmentation.size", no={"turned": [24, 16], "of one": [24], "a text": "16x24", "of texts": ["1", "2"]},
          needed=False),
)  # fmt: skip
COCO_CAPTIONS: tuple[Field, ...] = (
    Field(path=("annotations", 1, "caption"), where="captions.json: caption 42", named="caption", no=NO_TEXT),
)

_GQA, _DOG = ("2",), ("2", "objects", "21")
GQA: tuple[Field, ...] = (
    Field(path=_GQA, where="sceneGraphs.json", named="image 2", no={**NO_OBJECT, **IS_NULL}, needed=False),
    Field(path=(*_GQA, "width"), where="image 2", named="width", no=NO_SIDE),
    Field(path=(*_GQA, "height"), where="image 2", named="height", no=NO_SIDE),
    Field(path=(*_GQA, "objects"), where="image 2", named="objects", no=NO_OBJECT),
    Field(path=(*_GQA, "location"), where="image 2", named="location", no=NO_TEXT, needed=False),
    Field(path=_DOG, where="image 2", named="objects.21", no={**NO_OBJECT, **IS_NULL}, needed=False),
    Field(path=(*_DOG, "name"), where="image 2", named="objects.21.name", no=NO_TEXT),
    Field(path=(*_DOG, "x"), where="image 2", named="objects.21.x", no=NO_NUMBER),
    Field(path=(*_DOG, "y"), where="image 2", named="objects.21.y", no=NO_NUMBER),
    Field(path=(*_DOG, "w"), where="image 2", named="objects.21.", no=NO_EXTENT),
    Field(path=(*_DOG, "h"), where="image 2", named="objects.21.", no=NO_EXTENT),
    Field(path=(*_DOG, "attributes"), where="image 2", named="objects.21.attributes", no=NO_LIST, needed=False),
    Field(path=(*_DOG, "attributes", 0), where="image 2", named="objects.21.attributes[0]", no=NO_TEXT),
    Field(
        path=(*_DOG, "relations"), where="image 2", named="objects.21.relations",
        no={"a text": "near", "a number": 3, "true": True}, needed=False,
    ),
    Field(path=(*_DOG, "relations", 0), where="image 2", named="objects.21.relations[0]", no=NO_OBJECT),
    Field(path=(*_DOG, "relations", 0, "name"), where="image 2", named="objects.21.relations[0].name", no=NO_TEXT),
    Field(path=(*_DOG, "relations", 0, "object"), where="image 2", named="objects.21.relations[0].object", no=NO_ID),
)  # fmt: skip

_VG, _VG_DOG = (1,), (1, "objects", 0)
VISUAL_GENOME: tuple[Field, ...] = (
    Field(path=_VG, where="scene_graphs.json", named="record 1", no=NO_OBJECT),
    Field(path=(*_VG, "image_id"), where="scene_graphs.json", named="record 1", no=NO_ID),
    Field(path=(*_VG, "objects"), where="image 2", named="objects", no=NO_LIST, needed=False),
    Field(path=_VG_DOG, where="image 2", named="objects[0]", no=NO_OBJECT),
    Field(path=(*_VG_DOG, "object_id"), where="image 2", named="objects[0]", no=NO_ID),
    Field(
        path=(*_VG_DOG, "names"), where="image 2", named="object 21.names",
        no={"a text": "dog", "a number": 3, "empty": [], "of blanks": [" "], "of signs": ["?!"], "of numbers": [3]},
    ),
    Field(path=(*_VG_DOG, "x"), where="image 2", named="object 21.x",
          no={key: value for key, value in NO_NUMBER.items() if key != "a text"} | {"a word": "left", "nan": "nan"}),
    Field(path=(*_VG_DOG, "w"), where="image 2", named="object 21.",
          no={key: value for key, value in NO_EXTENT.items() if key != "a text"} | {"a word": "wide", "inf": "inf"}),
    Field(path=(*_VG_DOG, "synsets"), where="image 2", named="object 21.synsets", no=NO_LIST, needed=False),
    Field(path=(*_VG_DOG, "synsets", 0), where="image 2", named="object 21.synsets[0]", no=NO_TEXT),
    Field(path=(*_VG_DOG, "attributes"), where="image 2", named="object 21.attributes", no=NO_LIST, needed=False),
    Field(
        path=(*_VG_DOG, "attributes", 0), where="image 2", named="object 21.attributes[0]",
        no={"a number": 3, "a list": ["red"], "an object": {}},
    ),
    Field(path=(*_VG, "relationships"), where="image 2", named="relationships", no=NO_LIST, needed=False),
    Field(path=(*_VG, "relationships", 0), where="image 2", named="relationships[0]", no=NO_OBJECT),
    *(
        Field(path=(*_VG, "relationships", 0, end), where="image 2", named=f"relationships[0].{end}", no=NO_ID)
        for end in ("subject_id", "object_id")
    ),
    Field(
        path=(*_VG, "relationships", 0, "predicate"), where="image 2", named="relationships[0].predicate",
        no={"a number": 3, "a list": ["near"], "an object": {}},
    ),
)  # fmt: skip
IMAGE_DATA: tuple[Field, ...] = (
    Field(path=(1, "width"), where="image_data.json: image 2", named="width", no=NO_SIDE),
    Field(path=(1, "height"), where="image_data.json: image 2", named="height", no=NO_SIDE),
)

QUESTIONS: tuple[Field, ...] = (
    Field(path=("questions", 1, "question"), where="questions.json: question 200", named="question", no=NO_TEXT),
    Field(path=("questions", 1, "image_id"), where="questions.json: question 200", named="image_id", no=NO_ID),
)
_ANSWERS = ("annotations", 1, "answers")
ANSWERS: tuple[Field, ...] = (
    Field(path=_ANSWERS, where="annotations.json: answers to question 200", named="answers", no=NO_LIST),
    Field(path=(*_ANSWERS, 1), where="annotations.json: answers to question 200", named="answers[1]", no=NO_OBJECT),
    Field(
        path=(*_ANSWERS, 1, "answer"), where="annotations.json: answers to question 200", named="answers[1].answer",
        no={"a number": 3, "true": True, "a list": ["dog"]},
    ),
    Field(
        path=("annotations", 1, "answer_type"), where="annotations.json: answers to question 200", named="answer_type",
        no=NO_TEXT, needed=False,
    ),
    Field(
        path=("annotations", 1, "image_id"), where="annotations.json: answers to question 200", named="image_id",
        no={**NO_ID, "another photo's": 3}, needed=False,
    ),
)  # fmt: skip
