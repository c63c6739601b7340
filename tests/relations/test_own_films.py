"""The relations of films on films of the data, and several pictures of a group."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.commands.main import run_command
from pytest_vqamt.core.case import NotApplicable, Outcome
from pytest_vqamt.core.meaning import Event
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.film import Drop, Order, Repeat, Reverse, clips
from pytest_vqamt.relations.lexical_knowledge import knowledge_of
from pytest_vqamt.sampling.chooser import OrderedChooser
from tests.data.own_films import write_films
from tests.soundness.asking import cases, items, judged, model

NAMES = ("film.reverse", "film.repeat", "film.drop")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> SceneSource:
    return load(f"graphs:{write_films(tmp_path_factory.mktemp('films'), 150)}")


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_holds_and_faults_are_found(name: str, source: SceneSource) -> None:
    (item,) = (each for each in items() if each.name == name)
    some = list(cases(item, source, Sampling(max_cases=700, contrast=1.0)))
    assert len(some) == 700
    assert all(query.truth is not None and 3 <= len(query.pictures) <= 12 for case in some for query in case.asked)

    def outcomes(fault: str) -> Counter[Outcome]:
        asked = model(fault)
        asked.meet((source,))
        return Counter(each.verdict.outcome for each in judged(item, asked, some))

    assert set(outcomes("oracle")) == {Outcome.HOLDS}
    assert set(outcomes("fault:speck-blind")) == {Outcome.HOLDS}
    assert outcomes("fault:four-pictures")[Outcome.VIOLATED] > 100
    if name == "film.reverse":
        assert set(outcomes("fault:plays-backwards")) == {Outcome.VIOLATED}
        assert set(outcomes("fault:first-picture-only")) == {Outcome.VIOLATED}


def line(boxes: list[Any], **fields: Any) -> str:
    row = {
        "id": "f",
        "frames": [f"{number}.png" for number in range(len(boxes))],
        "width": 200,
        "height": 100,
        "objects": [{"id": "d", "name": "dog", "boxes": boxes}],
        "exhaustive": ["dog", "animal"],
        **fields,
    }
    return json.dumps(row)


IN = [None, None, *([max(0, x), 40, 50 + min(0, x), 40] for x in (-20, 10, 35, 60, 85, 110))]


def of(tmp_path: Path, text: str) -> SceneSource:
    (tmp_path / "graphs.jsonl").write_text(text, encoding="utf-8")
    return load(f"graphs:{tmp_path / 'graphs.jsonl'}")


def happening(source: SceneSource) -> list[Event]:
    return [clip.event for clip in clips(askable_scene_of(source.scene(0), source.corpus, knowledge_of(Reverse())))]


def moved(boxes: list[Any], dx: int) -> list[Any]:
    return [box and [box[0] + dx, *box[1:]] for box in boxes]


DOG = {"id": "d", "name": "dog", "boxes": IN}


def beside(name: str, step: int) -> dict[str, Any]:
    """A thing that goes so many pixels from each frame of ``IN`` to the next."""
    return {"id": name, "name": name, "boxes": [[100 + step * place, 2, 10, 30] for place in range(8)]}


OUT = [box and [200 - box[0] - box[2], *box[1:]] for box in IN[::-1]]


@pytest.mark.parametrize(
    ("boxes", "fields", "events"),
    [
        (IN, {}, [Event.COMES_IN_LEFT]),
        (IN[::-1], {}, [Event.GOES_OUT_LEFT]),
        (OUT, {}, [Event.GOES_OUT_RIGHT]),
        (OUT[::-1], {}, [Event.COMES_IN_RIGHT]),
        # A tremor of 1 px is no way back; 10 px are, but until then it came in.
        ([*IN[:-1], [84, 40, 50, 40]], {}, [Event.COMES_IN_LEFT]),
        ([*IN[:-2], [50, 40, 50, 40], [20, 40, 50, 40]], {}, [Event.COMES_IN_LEFT]),
        # It appears from behind something, and not at the edge.
        (moved(IN, 30), {}, []),
        # Another dog may be there; or one is.
        (IN, {"exhaustive": ["animal"]}, []),
        (IN, {"objects": [{"id": id_, "name": "dog", "boxes": boxes} for id_, boxes in (("d", IN), ("e", OUT))]}, []),
        (IN, {"objects": [{"id": "d", "name": "dog", "boxes": IN, "attributes": ["lying"]}]}, []),
        (IN, {"objects": [{"id": "d", "name": "table", "boxes": IN}], "exhaustive": ["table"]}, []),
        # Too small to be sure, and too short a way.
        ([box and [box[0], 40, 10, 8] for box in IN], {}, []),
        ([*IN[:3], *[IN[3]] * 5], {}, []),
        # All else goes to the right, too: the camera may pan. A tree that stays, or a person who goes the other way,
        # tells that it does not.
        (IN, {"objects": [DOG, beside("tree", 12)]}, []),
        (IN, {"objects": [DOG, beside("tree", 12), beside("person", -12)]}, [Event.COMES_IN_LEFT]),
        (IN, {"objects": [DOG, beside("tree", 0), beside("person", 12)]}, [Event.COMES_IN_LEFT]),
        # It is there all the time.
        (IN[3:], {}, []),
    ],
)  # fmt: skip
def test_what_is_sure(boxes: list[Any], fields: dict[str, Any], events: list[Event], tmp_path: Path) -> None:
    assert happening(of(tmp_path, line(boxes, **fields))) == events


def test_a_bird_goes_up(tmp_path: Path) -> None:
    boxes = [[80, y, 40, 30] for y in (60, 52, 45, 30, 20, 10)]
    bird = {"objects": [{"id": "d", "name": "bird", "boxes": boxes}], "exhaustive": ["bird", "animal"]}
    assert happening(of(tmp_path, line(boxes, **bird))) == [Event.MOVES_UP]


def test_frames_are_taken_evenly_and_halves_are_not_swapped(tmp_path: Path) -> None:
    source = of(tmp_path, line(IN))
    (clip,) = clips(askable_scene_of(source.scene(0), source.corpus, knowledge_of(Reverse())))
    assert [picture.photo.id for picture in clip.shown(5)] == ["f/1", "f/3", "f/5", "f/6", "f/8"]
    for relation in (Order(), Reverse(), Repeat(), Drop()):
        found = relation.derive(Draw(relation, source.scene(0), source.corpus, OrderedChooser(min)))
        assert isinstance(found, NotApplicable) is isinstance(relation, Order)


def test_the_others_of_a_group_are_taken_first(tmp_path: Path) -> None:
    def photo(number: int, name: str) -> dict[str, Any]:
        thing = {"id": "a", "name": name, "box": [20, 20, 60, 60]}
        return {"photo": f"{number}.png", "width": 100, "height": 100, "objects": [thing], "exhaustive": ["dog", "car"]}

    rows = [{"id": f"s{number}", **photo(number, "car")} for number in range(2, 12)]
    rows.append({"id": "g", "photos": [photo(0, "dog"), photo(1, "car")]})
    source = of(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows))
    (item,) = (each for each in items() if each.name == "multi.which")
    found = [case for case in cases(item, source, Sampling(max_cases=60)) if case.scene == "g/1"]
    assert found
    for case in found:
        assert "g/2" in {picture.photo.id for picture in case.queries[0].pictures}


def test_a_run_through_pytest_shows_the_frames(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    write_films(pytester.path, 4, photos=True)
    found = pytester.runpytest_subprocess(
        "--vqamt-model=fault:plays-backwards", "--vqamt-data=graphs:graphs.jsonl", "--vqamt-relations=film.reverse",
        "--vqamt-max-cases=6", "--vqamt-report=report", "-p", "no:cacheprovider",
    )  # fmt: skip
    text = found.stdout.str()
    assert "film.reverse" in text, text
    assert "6 violations in 6 cases" in text, text
    lines = (pytester.path / "report" / "cases.jsonl").read_text("utf-8").splitlines()
    monkeypatch.chdir(pytester.path)
    assert run_command(["replay", json.loads(lines[0])["case_id"]]) == 0  # the same answers again
