"""Files that are damaged as a whole: cut off, empty, another encoding, another file, no file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping

from tests.malformed.entries import At, Malformed, rewrite

Change = Callable[[bytes], bytes | None]

PAGE = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 12345\n"

_FILES = (
    ("coco", "instances.json"),
    ("coco", "captions.json"),
    ("gqa", "sceneGraphs.json"),
    ("visual-genome", "scene_graphs.json"),
    ("visual-genome", "image_data.json"),
    ("visual-genome in parts", "objects.json"),
    ("visual-genome in parts", "attributes.json"),
    ("visual-genome in parts", "relationships.json"),
    ("vqa-v2", "questions.json"),
    ("vqa-v2", "annotations.json"),
)

_AS_ONE_RECORD = "is within a list"
"""Of a file that lists records beside others, one record is wrong then, and the others go without."""
_DAMAGES: Mapping[str, Change] = {
    "is cut in half": lambda data: data[: len(data) // 2],
    "lacks its last byte": lambda data: data[:-1],
    "is empty": lambda _data: b"",
    "is blank": lambda _data: b" \n\n",
    "is UTF-16": lambda data: data.decode().encode("utf-16"),
    "has a byte that is no UTF-8": lambda data: data.replace(b'"', b'"\xff', 9).replace(b'"\xff', b'"', 8),
    "is a web page": lambda _data: PAGE,
    "is a pointer of git lfs": lambda _data: POINTER,
    "has semicolons for colons": lambda data: data.replace(b":", b";"),
    _AS_ONE_RECORD: lambda data: b"[[" + data + b"]]",
    "is a text": lambda data: json.dumps(data.decode()).encode(),
    "is null": lambda _data: b"null",
    "is nothing but brackets": lambda _data: b"[" * 3000,
    "is nothing but NULs": lambda data: bytes(len(data)),
    "has lost a block to NULs": lambda data: data[:100] + bytes(64) + data[164:],
    "comes twice in one file": lambda data: data + data,
    "has a number of 5000 digits": lambda data: data.replace(b": 2", b": " + b"2" * 5000),
    "is compressed, which its name does not say": lambda data: gzip.compress(data, mtime=0),
}
_DAMAGES_OF_COMPRESSED: Mapping[str, Change] = {
    "is cut short": lambda data: gzip.compress(data, mtime=0)[:-20],
    "lacks its sum": lambda data: gzip.compress(data, mtime=0)[:-8],
    "has a wrong sum": lambda data: gzip.compress(data, mtime=0)[:-8] + bytes(8),
    "has a broken middle": lambda data: _with_broken_middle(gzip.compress(data, mtime=0)),
    "is not compressed": lambda data: data,
    "is empty": lambda _data: b"",
}
_OF_EACH_FILE = ("is cut in half", "is empty", "is not compressed")
"""The damages that the default tier does to files beside others too."""
_NEEDED = ("instances.json", "sceneGraphs.json", "scene_graphs.json", "objects.json", "questions.json")


def broken_files() -> Iterator[Malformed]:
    """An entry for each file and damage."""
    for data, file in _FILES:
        for what, change in _DAMAGES.items():
            if what != _AS_ONE_RECORD or file in _NEEDED:
                yield _whole(data, file, what, change)
        for what, change in _DAMAGES_OF_COMPRESSED.items():
            yield _whole(data, f"{file}.gz", what, change, plain=file)
        if file in _NEEDED:
            yield _whole(data, file, "is a folder", lambda _data: None)


def _whole(data: str, file: str, what: str, change: Change, *, plain: str = "") -> Malformed:
    return Malformed(
        name=f"{data}: {file} {what}",
        data=data,
        damage=rewrite(plain or file, change, name=file if plain else ""),
        says=(file.removesuffix(".gz"),),
        at=At.SOURCE,
        is_of_full=file.removesuffix(".gz") not in _NEEDED and what not in _OF_EACH_FILE,
    )


def _with_broken_middle(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(8) + data[middle + 8 :]
