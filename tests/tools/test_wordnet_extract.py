"""Cutting a WordNet down to names, here the bundled one, which is a WordNet itself."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.language.wordnet import wordnet
from tests.language.opposites import opposites
from tools.wordnet_extract import (
    Entry,
    Line,
    Part,
    Pointer,
    extract,
    main,
    notice,
    place,
    read_data,
    read_index,
    write_data,
)

SOURCE = Path(str(files("pytest_vqamt.language.wordnet").joinpath("files")))


def line(offset: int, word: str, *pointers: tuple[str, int]) -> Line:
    return Line(
        offset=offset,
        file="03",
        kind="n",
        words=((word, "0"),),
        pointers=tuple(Pointer(symbol, target, "n", "0000") for symbol, target in pointers),
    )


# thing <- animal <- dog, thing <- cad; "dog" is the cad as well.
THING, ANIMAL, DOG, CAD = (
    line(100, "thing", ("~", 200), ("~", 400)),
    line(200, "animal", ("@", 100), ("~", 300)),
    line(300, "dog", ("@", 200)),
    line(400, "cad", ("@", 200)),
)
SMALL = Part(
    part_of_speech="n",
    lines={each.offset: each for each in (THING, ANIMAL, DOG, CAD)},
    index={
        "thing": Entry((100,), 1),
        "animal": Entry((200,), 1),
        "cad": Entry((400,), 0),
        "dog": Entry((300, 400), 2),
        "beast": Entry((200, 999), 1),
    },
)


def test_what_is_whole_keeps_its_pointers_among_what_is_whole() -> None:
    cut = SMALL.cut({100, 200}, ())
    assert list(cut.lines) == [100, 200]
    assert cut.lines[100].pointers == (Pointer("~", 200, "n", "0000"),)
    assert cut.lines[200].pointers == (Pointer("@", 100, "n", "0000"),)


def test_other_senses_of_a_word_are_there_in_outline_so_that_senses_keep_their_numbers() -> None:
    cut = SMALL.cut({100, 300}, ())
    # dog.n.02 is the cad, and the cad's nearest that is left is the thing: the animal between is gone.
    assert cut.index["dog"].offsets == (300, 400)
    assert cut.lines[400].pointers == (Pointer("@", 100, "n", "0000"),)
    assert "animal" not in cut.index


def test_a_word_of_which_a_sense_is_missing_is_in_no_index() -> None:
    assert "beast" not in SMALL.cut({100, 200}, ()).index


def test_lines_begin_where_they_say() -> None:
    heading = "  1 a notice\n"
    moved = place((THING, DOG), heading)
    data = write_data((THING, DOG), heading, moved)
    assert notice(data) == heading
    assert [data[offset : offset + 9] for offset in moved.values()] == [b"%08d " % offset for offset in moved.values()]
    assert [each.words for each in read_data(data).values()] == [THING.words, DOG.words]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    names = tmp_path_factory.mktemp("names") / "names.txt"
    names.write_text("robin,redbreast\noffice chair\ntiny\n")
    return extract(SOURCE, [names], most=2_000_000)


@pytest.mark.full
def test_an_extract_is_a_wordnet(small: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in small.items():
        (tmp_path / name).write_bytes(data)
    words, whole = wordnet(str(tmp_path)), wordnet()
    assert words.version == "3.0"
    for name in ("robin", "office chair", "dog", "mouse", "teddy bear"):
        assert words.sense(name) == whole.sense(name)
        assert words.at_or_above(words.sense(name) or "") == whole.at_or_above(whole.sense(name) or "")
    assert opposites("tiny", str(tmp_path)) == opposites("tiny", "bundled") >= {"large"}


@pytest.mark.full
def test_it_is_as_large_as_it_may_be_and_no_larger(small: dict[str, bytes]) -> None:
    assert 1_000_000 < sum(map(len, small.values())) <= 2_000_000


@pytest.mark.full
def test_the_index_is_sorted_as_it_was(small: dict[str, bytes]) -> None:
    words = list(read_index(small["index.noun"]))
    assert words == sorted(words)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["only", "two"]) == 2
    assert "SOURCE VOCABULARY... TARGET" in capsys.readouterr().err
    assert main([str(SOURCE), str(tmp_path / "none.txt"), str(tmp_path)]) == 1
    assert "none.txt" in capsys.readouterr().err
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(VqamtError, match=r"bad\.json"):
        extract(SOURCE, [tmp_path / "bad.json"])
