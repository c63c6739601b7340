"""Opening a WordNet: ours, this machine's, a folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path
from time import process_time

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.wordnet import sources, wordnet
from pytest_vqamt.language.wordnet.reader import Synsets
from pytest_vqamt.language.wordnet.sources import READ, find

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
    before = find(str(tmp_path)).digest
    (tmp_path / "noun.exc").write_text("oxen ox\n")
    assert find(str(tmp_path)).digest != before


def test_full_is_what_nltk_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:  # as `nltk.downloader` leaves it
        for name in (*READ, "lexnames"):
            archive.write(BUNDLED / name, f"wordnet/{name}")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    found = find("full")
    assert found.source == "full"
    assert found.digest == wordnet().digest
    assert Synsets(found).of("dog")[0] == "dog.n.01"


def test_full_where_there_is_none_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_places", lambda: iter(()))
    with pytest.raises(OptionError, match=r"wordnet='full'.*nltk\.downloader wordnet.*wordnet-base"):
        find("full")


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
        ("noun.exc", b"\xff\n"),
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


@pytest.mark.slow
def test_opening_and_asking_are_fast() -> None:
    start = process_time()
    Synsets(find("bundled"))
    assert process_time() - start < 0.5
    words = wordnet()
    pairs = [(a, b) for a in ("dog", "car", "hand", "tree") for b in ("animal", "bus", "person", "leaf")] * 1000
    for ask in (words.is_kind_of, words.may_name_the_same, words.part_related):
        times = []
        for _ in range(5):
            start = process_time()
            for a, b in pairs:
                ask(a, b)
            times.append(process_time() - start)
        assert min(times) / len(pairs) < 1e-6
