"""Records of COCO and VQA v2 that are wrong beside each other."""

from __future__ import annotations

from functools import partial

from tests.malformed.entries import Malformed, append, both, drop, put, rewrite
from tests.malformed.good import Data, Json
from tests.malformed.records import NEST, again, broken, refused

_INSTANCES, _CAPTIONS = "instances.json", "captions.json"
_NEW: Json = {"id": 99, "image_id": 2, "category_id": 18, "bbox": [1, 1, 5, 5], "iscrowd": 0}

_coco, _no_coco = partial(broken, "coco"), partial(refused, "coco")
_another = partial(append, _INSTANCES, "annotations")
_class = partial(append, _INSTANCES, "categories")


def _captions_for_instances(data: Data) -> None:
    data.files[_INSTANCES] = data.files[_CAPTIONS]


COCO: tuple[Malformed, ...] = (
    _coco("an image of the id of another", again(_INSTANCES, "images", file_name="b.jpg"), _INSTANCES, "image 2: id"),
    _coco("an image of its id as a text", again(_INSTANCES, "images", id="2", file_name="b.jpg"), "image 2: id"),
    _coco(
        "two images with one photo",
        put(_INSTANCES, "images", 2, "file_name", value="2.jpg"),
        _INSTANCES,
        "file_name",
        lost=("2", "3"),
        bad=2,
    ),
    _coco("an annotation of the id of another", _another(value={**_NEW, "id": 11}), _INSTANCES, "annotation 11: id"),
    _coco("an annotation of no image", _another(value={**_NEW, "image_id": 9}), "annotation 99: image_id", lost=()),
    _coco("an annotation of no category", _another(value={**_NEW, "category_id": 9}), "annotation 99: category_id"),
    _coco("an annotation outside", _another(value={**_NEW, "bbox": [24, 0, 5, 5]}), "annotation 99: bbox"),
    _coco("an annotation with a box of three", _another(value={**_NEW, "bbox": [1, 1, 5]}), "annotation 99: bbox"),
    _coco("an annotation in a list", _another(value=[_NEW]), _INSTANCES, "annotations[9]", lost=()),
    _coco("an annotation that is null", _another(value=None), _INSTANCES, "annotations[9]", lost=()),
    _coco(
        "a segmentation within lists",
        put(_INSTANCES, "annotations", 3, "segmentation", value=NEST),
        _INSTANCES,
        "annotation 21: segmentation[0]",
    ),
    _coco(
        "a caption of no image",
        append(_CAPTIONS, "annotations", value={"id": 50, "caption": "A dog."}),
        _CAPTIONS,
        "caption 50: image_id",
        lost=(),
    ),
    _coco(
        "a caption that is a text",
        append(_CAPTIONS, "annotations", value="A dog."),
        _CAPTIONS,
        "annotations[3]",
        lost=(),
    ),
    _no_coco("two categories of one id", _class(value={"id": 18, "name": "cat"}), _INSTANCES, "categories[2].id"),
    _no_coco("a category without a name", _class(value={"id": 19}), _INSTANCES, "categories[2].name"),
    _no_coco("a category that is a text", _class(value="cat"), _INSTANCES, "categories[2]"),
    _no_coco(
        "an annotation with its box twice",
        rewrite(_INSTANCES, lambda data: data.replace(b'"bbox"', b'"bbox": [], "bbox"', 1)),
        _INSTANCES,
        "'bbox' twice",
    ),
    _no_coco("no images", drop(_INSTANCES, "images"), _INSTANCES),
    _no_coco("no annotations", drop(_INSTANCES, "annotations"), _INSTANCES),
    _no_coco("no categories", drop(_INSTANCES, "categories"), _INSTANCES),
    _no_coco("images by their ids", put(_INSTANCES, "images", value={"1": {}}), _INSTANCES),
    _no_coco("annotations that are null", put(_INSTANCES, "annotations", value=None), _INSTANCES),
    _no_coco("images of which there is none", put(_INSTANCES, "images", value=[]), _INSTANCES),
    _no_coco("captions in place of instances", _captions_for_instances, _INSTANCES),
    _no_coco("captions by their ids", put(_CAPTIONS, "annotations", value={"1": "A dog."}), _CAPTIONS),
)

_QUESTIONS, _ANSWERS = "questions.json", "annotations.json"

_vqa, _no_vqa = partial(broken, "vqa-v2"), partial(refused, "vqa-v2")


def _only_the_list(data: Data) -> None:
    data.files[_QUESTIONS] = data.files[_QUESTIONS]["questions"]


def _unanswered(data: Data) -> None:
    del data.files[_ANSWERS]


VQA_V2: tuple[Malformed, ...] = (
    _vqa("two questions of one id", again(_QUESTIONS, "questions"), _QUESTIONS, "question 200: question_id"),
    _vqa("a question without answers", drop(_ANSWERS, "annotations", 1), _QUESTIONS, "question 200"),
    _vqa("a question answered twice", again(_ANSWERS, "annotations"), _ANSWERS, "question 200: question_id"),
    _vqa("a question without an id", drop(_QUESTIONS, "questions", 1, "question_id"), "questions[1]: question_id"),
    _vqa("a question that is a text", put(_QUESTIONS, "questions", 1, value="Why?"), _QUESTIONS, "questions[1]"),
    _vqa("answers of no question", drop(_ANSWERS, "annotations", 1, "question_id"), "annotations[1]", bad=2),
    _vqa("answers that are a text", put(_ANSWERS, "annotations", 1, value="dog"), "annotations[1]", bad=2),
    _vqa("no answers", put(_ANSWERS, "annotations", 1, "answers", value=[]), _ANSWERS, "question 200: answers"),
    _vqa("answers of another photo", put(_ANSWERS, "annotations", 1, "image_id", value=1), "question 200: image_id"),
    _vqa(
        "a question about a photo that is not there",
        both(
            put(_QUESTIONS, "questions", 1, "image_id", value=9),
            put(_ANSWERS, "annotations", 1, "image_id", value=9),
        ),
        _QUESTIONS,
        "question 200",
    ),
    _no_vqa("questions in a list of their own", _only_the_list, _QUESTIONS),
    _no_vqa("questions by their ids", put(_QUESTIONS, "questions", value={"1": {}}), _QUESTIONS),
    _no_vqa("questions of which there is none", put(_QUESTIONS, "questions", value=[]), _QUESTIONS),
    _no_vqa("answers of which there is none", put(_ANSWERS, "annotations", value=[]), _ANSWERS),
    _no_vqa("no file of answers", _unanswered, _ANSWERS),
)
