"""The list of parts of speech, and how it is made from WordNet's files."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from pytest_vqamt.language.units.lexicon import shares
from tools.word_list import main, word_list

BUNDLED = files("pytest_vqamt.language.units").joinpath("parts_of_speech.txt")
WORDNET = Path("/usr/share/wordnet")

# A WordNet of six words, in the formats of wndb(5WN) and cntlist(5WN): "run" is a verb in 2 senses that are tagged 5
# times and an act in one sense that is tagged twice, "dog" an animal alone, "ceiling" an artifact alone that looks like
# a verb, "red" an adjective, "boy" a person, "wag" a verb.
SMALL = {
    "data.noun": "  1 A licence\n00000100 04 n 01 run 0 000 | \n00000200 05 n 01 dog 0 000 | \n"
    "00000300 06 n 01 ceiling 0 000 | \n00000400 18 n 01 boy 0 000 | \n",
    "index.noun": "  1 A licence\nrun n 1 0 1 1 00000100\ndog n 1 0 1 1 00000200\nceiling n 1 0 1 0 00000300\n"
    "boy n 1 0 1 1 00000400\nhot_dog n 1 0 1 0 00000200\n",
    "index.verb": "  1 A licence\nrun v 2 0 2 2 00000500 00000600\nwag v 1 0 1 0 00000700\n",
    "index.adj": "red a 1 0 1 1 00000800\n",
    "index.adv": "",
    "cntlist.rev": "run%2:38:00:: 1 4\nrun%2:38:01:: 2 1\nrun%1:04:00:: 1 2\ndog%1:05:00:: 1 9\nred%3:00:00:: 1 3\n"
    "boy%1:18:00:: 1 3\n",
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    for name, text in SMALL.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_shares_are_counted(small: Path) -> None:
    lines = [line for line in word_list(small).splitlines() if not line.startswith("#")]
    # run: 5 tags and 2 senses as a verb, 2 tags and 1 sense as an act: 7 to 3.
    assert lines == ["ceiling n", "red a", "run v7i3", "wag v"]


def test_the_command_writes_the_list(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "list.txt"
    assert main([str(small), str(target)]) == 0
    assert target.read_text() == word_list(small)
    assert main([]) == 2


def test_the_licence_is_noted() -> None:
    head = BUNDLED.read_text(encoding="ascii").splitlines()[:3]
    assert "WordNet 3.0" in head[1]
    assert "LICENSE" in head[2]
    assert files("pytest_vqamt").joinpath("language/wordnet/files/LICENSE").is_file()


@pytest.mark.skipif(not (WORDNET / "cntlist.rev").is_file(), reason="needs Debian's wordnet-base")
def test_the_list_is_the_one_that_wordnet_gives() -> None:
    assert BUNDLED.read_text(encoding="ascii") == word_list(WORDNET)


def test_shares_are_read() -> None:
    assert shares("feel") == {"v": 1.0}
    assert shares("giraffe") == {}
    assert 0.8 <= sum(shares("wave").values()) <= 1.2
