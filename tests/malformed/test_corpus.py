"""Each malformed input gives one clear error that names the record; no traceback, and nothing left out in silence."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.catalogue import load
from tests.malformed.corpus import CORPUS
from tests.malformed.entries import At, Malformed
from tests.malformed.gaps import GAPS
from tests.malformed.good import IDS, KINDS
from tests.malformed.outcomes import MOST_OF_A_REFUSAL, lacks_advice, unclear, use

LEAST = 250


@cache
def good_scenes(kind: str) -> dict[str, Scene]:
    """The scenes of a good data set, by their ids."""
    with TemporaryDirectory() as folder:
        used = use(load(KINDS[kind]().write(Path(folder))))
    assert used.refused == ()
    return used.scenes


def refusal(spec: str) -> str:
    """What a user is told who allows no bad records; "" where there is nothing to tell."""
    try:
        load(spec)
    except VqamtError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_broken_was_good(kind: str) -> None:
    assert tuple(good_scenes(kind)) == IDS


@pytest.fixture
def entry(request: pytest.FixtureRequest) -> Malformed:
    made: Malformed = request.param
    if why := GAPS.get(made.name):
        request.applymarker(pytest.mark.xfail(reason=why))
    return made


@pytest.mark.parametrize("entry", CORPUS, ids=[entry.name for entry in CORPUS], indirect=True)
def test_a_malformed_input_is_told_in_one_clear_line(entry: Malformed) -> None:
    data = KINDS[entry.data]()
    entry.damage(data)
    spec = data.write(Path("data"))
    if entry.at is At.SOURCE:
        told = refusal(spec)
        assert unclear(told, entry.says) == [], told
        assert not lacks_advice(told), told
        with pytest.raises(VqamtError) as caught:
            load(spec, allow_bad_records=True)
        assert str(caught.value) == told
        return
    source = load(spec, allow_bad_records=True)
    used = use(source)
    rest = {scene_id: scene for scene_id, scene in good_scenes(entry.data).items() if scene_id not in entry.lost}
    assert used.scenes == rest
    lines = (*source.bad_records, *used.refused)
    assert any(unclear(line, entry.says) == [] for line in lines), lines
    for line in lines:
        assert unclear(line) == [], line
    if entry.at is At.RECORD:
        assert len(source.bad_records) == entry.bad
        assert used.refused == ()
        assert len(source) + len(entry.lost) == len(IDS)
    for line in used.refused:
        assert not lacks_advice(line), line
    if source.bad_records:
        told = refusal(spec)
        how_many = f"{len(source.bad_records)} {'is' if len(source.bad_records) == 1 else 'are'} bad"
        says = (how_many, f"{len(source)} good scene", source.bad_records[0], "--vqamt-allow-bad-records")
        assert unclear(told, says, most=MOST_OF_A_REFUSAL) == [], told


def test_there_are_enough_and_no_two_alike() -> None:
    names = Counter(entry.name for entry in CORPUS)
    assert [name for name, times in names.items() if times > 1] == []
    assert names.keys() >= GAPS.keys()
    assert len(CORPUS) - len(GAPS) >= LEAST
