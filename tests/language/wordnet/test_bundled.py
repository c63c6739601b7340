"""The extract that comes with the package: in WordNet's format, complete for its names, and the same as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import pytest

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.question_ranking.word_overlap import NltkSynsets
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.language.wordnet.senses import Synsets
from pytest_vqamt.language.wordnet.words import find_wordnet
from pytest_vqamt.picture_world.looks import NAMES, SYNSETS
from tests.rows import each_row
from tools.wordnet_extract import extract, read_data, read_index

FOLDER = Path(str(files("pytest_vqamt.language.wordnet").joinpath("files")))
LANGUAGE = FOLDER.parents[1]
DEBIAN = Path("/usr/share/wordnet")
VOCABULARIES = Path(__file__).parents[3] / "../shared/data/vocab"
NOTICE = "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved."

needs_the_whole = pytest.mark.skipif(not (DEBIAN / "data.noun").is_file(), reason="no WordNet on this machine")
needs_vocabularies = pytest.mark.skipif(not VOCABULARIES.is_dir(), reason="no ../shared/data")


def test_it_is_at_most_three_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 3_000_000


@pytest.mark.parametrize("suffix", ["noun", "adj"])
def test_every_offset_is_where_its_line_begins(suffix: str) -> None:
    data = (FOLDER / f"data.{suffix}").read_bytes()
    lines = read_data(data)
    assert len(lines) > 3000
    for offset in lines:
        assert data[offset - 1 : offset + 9] == b"\n%08d " % offset
    named = (
        offset for entry in read_index((FOLDER / f"index.{suffix}").read_bytes()).values() for offset in entry.offsets
    )
    assert set(named) <= set(lines)
    assert {pointer.offset for line in lines.values() for pointer in line.pointers} <= set(lines)


@each_row("name", ["data.noun", "index.noun", "data.adj", "index.adj", "data.verb", "index.adv", "LICENSE"])
def test_every_file_carries_the_notice(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="ascii")
    assert NOTICE in text
    assert "THIS SOFTWARE AND DATABASE IS PROVIDED" in text


def test_words_are_in_the_order_that_a_binary_search_needs() -> None:
    words = list(read_index((FOLDER / "index.noun").read_bytes()))
    assert words == sorted(words)


def test_every_synset_that_a_table_names_is_in_it_by_that_name() -> None:
    words = wordnet()
    for path in (*LANGUAGE.glob("wordnet/*.toml"), *LANGUAGE.glob("families*.toml")):
        for synset in re.findall(r'"([^"\s]+\.n\.\d\d)"', path.read_text(encoding="utf-8")):
            assert words.sense("", synset) == synset, path.name


def test_every_synset_of_the_picture_world_is_in_it() -> None:
    assert [synset for synset in SYNSETS.values() if wordnet().sense("", synset) != synset] == []


@needs_vocabularies
def test_nearly_every_name_of_the_vocabularies_has_a_sense() -> None:
    assert [name for name in vocabulary("vg_objects_vocab.txt") if wordnet().sense(name) is None] == [
        "she", "half", "black", "yellow",
    ]  # fmt: skip


@needs_the_whole
@needs_vocabularies
def test_it_says_of_its_names_what_the_whole_says() -> None:
    bundled, full = wordnet(), wordnet(str(DEBIAN))
    names = [*sorted(COCO_CLASSES | set(NAMES)), *vocabulary("vg_objects_vocab.txt")]
    assert [name for name in names if bundled.sense(name) != full.sense(name)] == []
    for name in names[::4]:
        assert bundled.senses(name) == full.senses(name), name
        assert bundled.synonyms(name) == full.synonyms(name), name
        assert [bundled.at_or_above(each) == full.at_or_above(each) for each in bundled.senses(name)].count(False) == 0
    some = names[::12]
    for ask in ("is_kind_of", "may_name_the_same", "part_related"):
        differ = [(a, b) for a in some for b in names[::8] if getattr(bundled, ask)(a, b) != getattr(full, ask)(a, b)]
        assert differ == [], ask


@pytest.mark.slow
@needs_the_whole
@needs_vocabularies
def test_it_is_what_the_script_writes() -> None:
    lists = [VOCABULARIES / name for name in ("vg_objects_vocab.txt", "vg_attributes_vocab.txt", "gqa_label2ans.json")]
    written = extract(DEBIAN, lists)
    there = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert sorted(written) == sorted(there)
    assert [name for name in written if written[name] != there[name]] == []


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.full)])
def test_it_is_read_as_nltk_reads_it(step: int) -> None:
    found = find_wordnet("bundled")
    own, reader = Synsets(found), NltkSynsets(found).reader
    assert own.version == reader.get_version()
    pairs = [(kind, word) for kind in "na" for word in sorted(set(reader.all_lemma_names(kind)))[::step]]
    assert len(pairs) > 20_000 / step
    for kind, word in pairs:
        offsets = reader._lemma_pos_offset_map[word][kind]
        theirs = [reader.synset_from_pos_and_offset(kind, offset) for offset in offsets]
        if kind == "n":
            assert own.of(word) == tuple(synset.name() for synset in theirs)
        for synset in theirs:
            assert own.canonical(synset.name()) == synset.name()
            assert list(own.words(synset.name())) == [name.replace("_", " ") for name in synset.lemma_names()]
            for symbol, targets in synset._pointers.items():
                assert own.related(synset.name(), (symbol,)) == tuple(
                    reader.synset_from_pos_and_offset(pos, offset).name()
                    for pos, offset in sorted(targets, key=lambda it: it[1])
                )


def test_it_is_found_under_its_own_name() -> None:
    assert find_wordnet("bundled").source == "bundled"


def vocabulary(name: str) -> Iterable[str]:
    text = (VOCABULARIES / name).read_text(encoding="utf-8")
    return [word.strip() for word in re.split(r"[\n,]", text)]
