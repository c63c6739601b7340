"""The fields of users' own scene graphs."""

from __future__ import annotations

from tests.malformed.of_fields import (
    NO_EXTENT,
    NO_FLAG,
    NO_ID,
    NO_LIST,
    NO_NUMBER,
    NO_OBJECT,
    NO_SIDE,
    NO_TEXT,
    Field,
)

_WHERE = "graphs.jsonl:2"
_OBJECT, _REGION, _QUESTION, _RELATIONSHIP = (
    (1, "objects", 0), (1, "regions", 0), (1, "questions", 0), (1, "relationships", 0),
)  # fmt: skip

GRAPHS: tuple[Field, ...] = (
    Field(path=(1,), where=_WHERE, named="record", no=NO_OBJECT),
    Field(path=(1, "id"), where=_WHERE, named="id", no=NO_ID),
    Field(path=(1, "photo"), where=_WHERE, named="photo", no=NO_TEXT),
    Field(path=(1, "width"), where=_WHERE, named="width", no=NO_SIDE),
    Field(path=(1, "height"), where=_WHERE, named="height", no=NO_SIDE),
    *(
        Field(path=(1, name), where=_WHERE, named=name, no=NO_LIST, needed=False)
        for name in ("objects", "regions", "questions", "captions", "exhaustive")
    ),
    Field(path=(1, "relationships"), where=_WHERE, named="relationships", no=NO_LIST, needed=False),
    *(
        Field(path=path, where=_WHERE, named=f"{path[1]}[0]", no=NO_OBJECT)
        for path in (_OBJECT, _REGION, _QUESTION, _RELATIONSHIP)
    ),
    Field(path=(*_OBJECT, "id"), where=_WHERE, named="objects[0].id", no=NO_ID),
    Field(path=(*_OBJECT, "name"), where=_WHERE, named="objects[0].name", no=NO_TEXT),
    Field(path=(*_OBJECT, "box"), where=_WHERE, named="objects[0].box", no=NO_LIST),
    Field(path=(*_OBJECT, "box", 0), where=_WHERE, named="objects[0].box[0]", no=NO_NUMBER),
    Field(path=(*_OBJECT, "box", 3), where=_WHERE, named="objects[0].box", no=NO_EXTENT),
    Field(path=(*_OBJECT, "attributes"), where=_WHERE, named="objects[0].attributes", no=NO_LIST, needed=False),
    Field(path=(*_OBJECT, "attributes", 1), where=_WHERE, named="objects[0].attributes[1]", no=NO_TEXT),
    Field(path=(*_OBJECT, "synset"), where=_WHERE, named="objects[0].synset", no=NO_TEXT, needed=False),
    Field(path=(*_OBJECT, "multi_coloured"), where=_WHERE, named="objects[0].multi_coloured", no=NO_FLAG, needed=False),
    Field(path=(*_OBJECT, "mask"), where=_WHERE, named="objects[0].mask", no=NO_LIST, needed=False),
    Field(path=(*_OBJECT, "mask", 0), where=_WHERE, named="objects[0].mask[0]", no=NO_LIST),
    Field(path=(*_OBJECT, "mask", 0, 4), where=_WHERE, named="objects[0].mask[0][4]", no=NO_NUMBER),
    Field(path=(*_REGION, "name"), where=_WHERE, named="regions[0].name", no=NO_TEXT),
    Field(path=(*_REGION, "box", 3), where=_WHERE, named="regions[0].box", no=NO_EXTENT),
    Field(path=(*_RELATIONSHIP, "subject"), where=_WHERE, named="relationships[0].subject", no=NO_ID),
    Field(path=(*_RELATIONSHIP, "predicate"), where=_WHERE, named="relationships[0].predicate", no=NO_TEXT),
    Field(path=(*_RELATIONSHIP, "object"), where=_WHERE, named="relationships[0].object", no=NO_ID),
    Field(path=(1, "setting"), where=_WHERE, named="setting", no=NO_TEXT, needed=False),
    Field(path=(1, "captions", 0), where=_WHERE, named="captions[0]", no=NO_TEXT),
    Field(path=(1, "exhaustive", 1), where=_WHERE, named="exhaustive[1]", no=NO_TEXT),
    Field(path=(*_QUESTION, "id"), where=_WHERE, named="questions[0].id", no=NO_ID),
    Field(path=(*_QUESTION, "text"), where=_WHERE, named="questions[0].text", no=NO_TEXT),
    Field(path=(*_QUESTION, "answers"), where=_WHERE, named="questions[0].answers", no=NO_LIST, needed=False),
    Field(path=(*_QUESTION, "answers", 0), where=_WHERE, named="questions[0].answers[0]", no=NO_TEXT),
    Field(path=(*_QUESTION, "kind"), where=_WHERE, named="questions[0].kind", no=NO_TEXT, needed=False),
)
