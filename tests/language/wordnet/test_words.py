"""What WordNet says of names: kinds, parts, synonyms."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.wordnet import wordnet, words
from pytest_vqamt.language.wordnet.senses import Synsets
from pytest_vqamt.language.wordnet.words import READ, find_wordnet
from pytest_vqamt.picture_world.looks import NAMES
from tests.rows import each_row

WORDS = wordnet()
KNOWN = sorted(COCO_CLASSES | set(NAMES))
names = (
    st.sampled_from(KNOWN) | st.text(max_size=12) | st.sampled_from(["", " ", "a b", "of", "toy dog", "s", "xyzzy car"])
)


@each_row(
    ("name", "other", "expected"),
    [
        ("dog", "animal", True),
        ("animal", "dog", False),
        ("dog", "dog", False),
        ("dogs", "dog", False),  # one sense, so neither is a kind of the other
        ("puppies", "dog", True),
        ("taxi", "car", True),
        ("wii controller", "controller", True),
        ("black wii controller", "wii controller", True),
        ("wii controller", "black wii controller", False),
        ("toy dog", "dog", True),  # WordNet has this one: a very small dog
        ("toy truck", "truck", False),
        ("xyzzy", "dog", False),
        ("dog", "xyzzy", False),
        ("xyzzy", "xyzzy", False),
    ],
)
def test_kinds(name: str, other: str, expected: bool) -> None:
    assert WORDS.is_kind_of(name, other) is expected


@each_row(
    ("a", "b", "expected"),
    [
        ("sack", "backpack", True),  # bags
        ("father", "adult", True),
        ("watch", "clock", True),
        ("parasol", "dog", False),
        ("dish", "truck", False),  # wheeled vehicles are containers in WordNet
        ("clock", "glasses", False),  # both are instruments,
        ("shade", "jacket", False),  # and coverings
        ("cart", "truck", True),
        ("xyzzy", "dog", False),
    ],
)
def test_common_kinds(a: str, b: str, expected: bool) -> None:
    assert WORDS.have_common_kind(a, b) is expected
    assert WORDS.have_common_kind(b, a) is expected


def test_a_name_is_under_a_synset_that_it_has_or_is_a_kind_of() -> None:
    assert WORDS.is_under("dogs", ("dog.n.01",))
    assert WORDS.is_under("dog", ("vehicle.n.01", "animal.n.01"))
    assert not WORDS.is_under("dog", ("vehicle.n.01",))
    assert not WORDS.is_under("dog", ())
    assert not WORDS.is_under("xyzzy", ("entity.n.01",))


@each_row(
    ("a", "b", "expected"),
    [
        ("dog", "animal", True),
        ("couch", "sofa", True),
        ("chicken", "food", True),
        ("chicken", "animal", True),  # the other sense
        ("lamb", "animal", True),
        ("mouse", "animal", True),
        ("bat", "baseball bat", True),
        ("glasses", "wine glass", True),
        ("hot dog", "dog", True),  # they share their head noun
        ("traffic light", "light", True),
        ("stop sign", "sign", True),
        ("driver", "woman", True),
        ("xyzzy", "dog", True),  # nobody knows
        ("dog", "cat", False),
        ("dog", "woman", False),  # nobody calls one so whom a picture shows
        ("toaster", "person", False),
        ("apple", "car", False),
        ("dog", "car", False),
    ],
)
def test_what_may_name_the_same_thing(a: str, b: str, expected: bool) -> None:
    assert WORDS.may_name_the_same(a, b) is expected
    assert WORDS.may_name_the_same(b, a) is expected


@each_row(
    ("a", "b", "expected"),
    [
        ("tire", "car", True),
        ("tires", "fire truck", True),
        ("wheel", "bicycle", True),
        ("windshield", "bus", True),
        ("shirt", "person", True),
        ("jeans", "skier", True),
        ("necklace", "woman", True),
        ("hand", "man", True),
        ("paw", "dog", True),
        ("saddle", "horse", True),
        ("window", "building", True),
        ("car door", "truck", True),
        ("leg", "table", True),
        ("pillow", "bed", True),
        ("leaf", "tree", True),
        ("pepperoni", "pizza", True),
        ("icing", "birthday cake", True),
        ("cloud", "sky", True),
        ("finger", "hand", True),  # WordNet's own
        ("tire", "vehicle", True),
        ("dog", "car", False),
        ("tire", "dog", False),
        ("shirt", "car", False),
        ("apple", "banana", False),
        ("xyzzy", "car", False),
    ],
)
def test_parts_and_garments(a: str, b: str, expected: bool) -> None:
    assert WORDS.part_related(a, b) is expected
    assert WORDS.part_related(b, a) is expected


def test_synonyms_are_told_with_spaces_and_without_the_name_itself() -> None:
    assert WORDS.synonyms("couch") == ("sofa", "lounge")
    assert WORDS.synonyms("couches") == ("sofa", "lounge")
    assert WORDS.synonyms("car") == ("auto", "automobile", "machine", "motorcar")
    assert WORDS.synonyms("wii controller") == WORDS.synonyms("xyzzy") == ()
    assert not any("_" in word for name in KNOWN for word in WORDS.synonyms(name))


@given(names, names)
def test_nothing_raises_and_relations_are_symmetric_where_they_say_so(a: str, b: str) -> None:
    assert WORDS.may_name_the_same(a, b) is WORDS.may_name_the_same(b, a)
    assert WORDS.part_related(a, b) is WORDS.part_related(b, a)
    assert WORDS.may_name_the_same(a, a)
    if WORDS.is_kind_of(a, b):
        assert not WORDS.is_kind_of(b, a)
        assert WORDS.may_name_the_same(a, b)
    assert WORDS.sense(a) is not None or WORDS.synonyms(a) == ()


@given(st.sampled_from(KNOWN), st.sampled_from(KNOWN))
def test_what_is_a_kind_of_another_lies_below_what_that_lies_below(a: str, b: str) -> None:
    if WORDS.is_kind_of(a, b):
        assert WORDS.at_or_above(WORDS.sense(b) or "") <= WORDS.at_or_above(WORDS.sense(a) or "")


BUNDLED = Path(str(files("pytest_vqamt.language.wordnet").joinpath("files")))


def test_the_bundled_one_says_what_it_is() -> None:
    words = wordnet()
    assert (words.source, words.version) == ("bundled", "3.0")
    assert len(words.digest) == 16
    assert wordnet("bundled") is words


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    for name in READ:  # no lexnames: some distributions leave it out
        (tmp_path / name).write_bytes((BUNDLED / name).read_bytes())
    words = wordnet(str(tmp_path))
    assert words.source == str(tmp_path)
    assert words.digest == wordnet().digest
    assert words.sense("dog") == "dog.n.01"


def test_the_digest_is_that_of_the_files(tmp_path: Path) -> None:
    for name in READ:
        (tmp_path / name).write_bytes((BUNDLED / name).read_bytes())
    before = find_wordnet(str(tmp_path)).digest
    (tmp_path / "noun.exc").write_text("oxen ox\n")
    assert find_wordnet(str(tmp_path)).digest != before


def test_full_is_what_nltk_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:  # as `nltk.downloader` leaves it
        for name in (*READ, "lexnames"):
            archive.write(BUNDLED / name, f"wordnet/{name}")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    found = find_wordnet("full")
    assert found.source == "full"
    assert found.digest == wordnet().digest
    assert Synsets(found).of("dog")[0] == "dog.n.01"


def test_full_where_there_is_none_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_places", lambda: iter(()))
    with pytest.raises(OptionError, match=r"wordnet='full'.*nltk\.downloader wordnet.*wordnet-base"):
        find_wordnet("full")


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(OptionError, match=r"^wordnet='no/such': expected 'bundled', 'full' or a folder[^\n]*$"):
        wordnet("no/such")


def test_a_folder_that_lacks_files_is_told_which(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text("")
    with pytest.raises(OptionError, match=r"it lacks index\.noun, noun\.exc, data\.adj, index\.adj, adj\.exc; [^\n]*$"):
        wordnet(str(tmp_path))


@pytest.mark.parametrize(
    ("broken", "content"),
    [
        ("index.noun", b"dog n one 0 1 1 00000000\n"),
        ("index.noun", b""),
        ("index.noun", b"entity n 1 0 1 1 00000007  \n"),  # an offset inside a line
        ("data.noun", b"\xff\xfe\x00"),
    ],
)
def test_files_of_another_format_are_one_line(broken: str, content: bytes, tmp_path: Path) -> None:
    for name in READ:
        (tmp_path / name).write_bytes(content if name == broken else (BUNDLED / name).read_bytes())
    with pytest.raises(OptionError, match=r"^wordnet='[^\n]*: expected files in WordNet's own format[^\n]*$"):
        wordnet(str(tmp_path))


@pytest.mark.parametrize(
    "code",
    [
        "import pytest_vqamt.language.wordnet",
        "from pytest_vqamt.language.english.families import family; assert family('dog') == 'animal'",
    ],
)
def test_nltk_waits_until_a_word_is_looked_up(code: str) -> None:
    asked = f"{code}\nimport sys; assert 'nltk' not in sys.modules"
    subprocess.run([sys.executable, "-c", asked], check=True)
