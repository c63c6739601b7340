"""Held-out figures of the tiny model: ``python -m tools.tiny.evaluate [CHECKPOINT] [--out FILE]``.

Questions are about scenes that training never saw: those of the sheets, with answers balanced within each type and
negatives that could well be there, and those that the catalogue asks, by relation, edited pictures among them. An
answer counts as right where it is the expected word and nothing else. Prints Markdown tables with the share that the
most frequent answer would get, and writes figures and confusions as JSON.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.render import render
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.models.prompts import PLACEHOLDER, PLAIN_PROMPTS
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.tiny import WEIGHTS, TinyLlava
from pytest_vqamt.picture_world.looks import NAMES
from pytest_vqamt.picture_world.source import PictureWorld
from tools.tiny.asked import World
from tools.tiny.cases import items, queries, said_rightly
from tools.tiny.render import HELD_OUT_SEED
from tools.tiny.sheets import Row, sheet

FIRST_SCENE = 10_000
"""Scenes before it were looked at while training went on."""

SCENES = 3000
WORLD_SCENES = 500
CAPTIONED = 500
CASES_SEED = 90_004
CASE_SCENES = 500
CASES = 20
"""Of each relation variant."""

_BATCH = 64
_COUNTS = ("0", "1", "2", "3", "4", "5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """A type of question.

    Attributes:
        name: as the model card has it.
        kinds: the kinds of rows that belong to it.
        most: how many of each answer are asked at most.
        answers: the answers that are asked; empty for all.
    """

    name: str
    kinds: tuple[str, ...]
    most: int
    answers: tuple[str, ...] = ()


TYPES: tuple[Type, ...] = (
    Type(name="existence", kinds=("exists",), most=350),
    Type(name="existence, negated", kinds=("exists not",), most=350),
    Type(name="existence with a property", kinds=("exists property",), most=350),
    Type(name="existence with a property, negated", kinds=("exists property not",), most=350),
    Type(name="counting, one group", kinds=("count",), most=130, answers=_COUNTS),
    Type(name="counting, one group with a property", kinds=("count property",), most=70, answers=_COUNTS),
    Type(name="counting, two groups", kinds=("count two",), most=100, answers=_COUNTS),
    Type(name="counting, two properties", kinds=("count two property",), most=70, answers=_COUNTS[1:]),
    Type(name="colour", kinds=("colour",), most=90),
    Type(name="colour, either or", kinds=("choice colour",), most=40),
    Type(name="name, either or", kinds=("choice name",), most=8),
    Type(name="action or state, either or", kinds=("choice attribute",), most=20),
    Type(name="attribute, yes or no", kinds=("attribute",), most=250),
    Type(name="name, letters or numbers", kinds=("lettered",), most=8),
    Type(name="which is there, which is not", kinds=("choice there",), most=8),
    Type(name="left or right of", kinds=("left or right",), most=300),
    Type(name="above or below", kinds=("above or below",), most=200),
    Type(name="which is further left, on which side", kinds=("choice place",), most=20),
    Type(name="on, under, wearing, holding", kinds=("relation",), most=200),
    Type(name="both, either", kinds=("both", "either"), most=150),
    Type(name="entailment", kinds=("entailment",), most=400),
)  # fmt: skip

GROUPS: dict[str, tuple[str, ...]] = {
    "existence, all": ("existence", "existence, negated", "existence with a property",
                       "existence with a property, negated"),
    "choices, all": ("colour, either or", "name, either or", "action or state, either or", "name, letters or numbers",
                     "which is there, which is not"),
    "counting 0 to 5, all": ("counting, one group", "counting, one group with a property", "counting, two groups",
                             "counting, two properties"),
}  # fmt: skip


NO_GROUPS: dict[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question or hypothesis about a picture."""

    type: str
    picture: Picture
    task: Task
    text: str
    answer: str


def balanced(scenes: Sequence[Scene], world: World) -> list[Asked]:
    """Questions by type, as many of each answer as far as the scenes have them, two of a type a scene at most."""
    wanted = {kind: each for each in TYPES for kind in each.kinds}
    found: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for number, scene in enumerate(scenes):
        asked: Counter[str] = Counter()
        rows = sheet(scene, world, f"evaluation {number}")
        Random(f"order {number}").shuffle(rows)
        for row in rows:
            each = wanted.get(row.kind)
            if each is None or asked[each.name] == 2 or (each.answers and row.answer not in each.answers):
                continue
            here = found[each.name, row.answer]
            if len(here) < each.most:
                asked[each.name] += 1
                here.append(_of_sheet(each.name, scene, row))
    return [each for name in TYPES for (of, _), here in sorted(found.items()) if of == name.name for each in here]


def _of_sheet(name: str, scene: Scene, row: Row) -> Asked:
    """The row with its bare text, which the adapter puts into the prompt."""
    task, text = Task.VQA, row.text
    if row.kind == "entailment":
        before, after = PLAIN_PROMPTS.entailment.split(PLACEHOLDER)
        task, text = Task.ENTAILMENT, row.text.removeprefix(before).removesuffix(after)
    return Asked(type=name, picture=scene.picture, task=task, text=text, answer=row.answer)


def of_cases(world: PictureWorld, cases: int) -> list[Asked]:
    """What the catalogue asks in so many cases of each relation variant, captions left out."""
    return [
        Asked(
            type=item.partition("[")[0], picture=query.picture, task=query.task, text=query.text,
            answer=said_rightly(query.text, query.meaning, query.picture.scene),
        )
        for item in items()
        for query in queries(world, item, cases)
        if query.task is not Task.CAPTIONING
    ]  # fmt: skip


def said(model: TinyLlava, photos: PictureWorld, asked: Sequence[Asked]) -> list[str]:
    """The model's answers; a picture is encoded once for what is asked of it in a row."""
    answers = [""] * len(asked)
    for task, ask in ((Task.VQA, model.answer), (Task.ENTAILMENT, model.entail), (Task.CAPTIONING, model.caption)):
        places = [place for place, each in enumerate(asked) if each.task is task]
        places.sort(key=lambda place: asked[place].picture.digest)
        for start in tqdm(range(0, len(places), _BATCH), desc=task, disable=not places):
            batch = places[start : start + _BATCH]
            for place, answer in zip(batch, ask([_input(asked[at], photos) for at in batch]), strict=True):
                answers[place] = answer.text
    return answers


def _input(asked: Asked, photos: PictureWorld) -> ModelInput:
    query = Query(picture=asked.picture, text=asked.text, meaning=Describe(), task=asked.task)
    return ModelInput(query, lambda picture: render(picture, photos))


def named_in(caption: str) -> set[str]:
    """The names of the picture world that a caption mentions."""
    return {
        name for name in NAMES if re.search(rf"\b(?:{re.escape(name)}|{re.escape(plural(name))})\b", caption.lower())
    }


def captions(model: TinyLlava, scenes: Sequence[Scene], photos: PictureWorld) -> dict[str, float]:
    """How many of the names in a scene its caption mentions, and how many that it mentions are there."""
    there = mentioned = both = 0
    asked = [
        Asked(type="caption", picture=scene.picture, task=Task.CAPTIONING, text="", answer="")
        for scene in scenes[:CAPTIONED]
    ]
    told = said(model, photos, asked)
    for number, text in enumerate(told):
        names, found = {thing.name for thing in scenes[number].objects}, named_in(text)
        there, mentioned, both = there + len(names), mentioned + len(found), both + len(names & found)
    return {"named": both / there, "right": both / max(1, mentioned), "different": len(set(told)) / len(told)}


def main() -> None:
    """Asks, counts, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, nargs="?", default=WEIGHTS)
    parser.add_argument("--out", type=Path, help="a JSON file for figures and confusions")
    given = parser.parse_args()
    photos = PictureWorld(FIRST_SCENE + SCENES, HELD_OUT_SEED)
    scenes = [photos.scene(FIRST_SCENE + number) for number in range(SCENES)]
    model = TinyLlava(given.checkpoint, ModelOptions(), PLAIN_PROMPTS)
    asked = balanced(scenes, World.of(scenes[:WORLD_SCENES]))
    answers = said(model, photos, asked)
    figures = report(asked, answers, [each.name for each in TYPES], GROUPS)
    told = captions(model, scenes, photos)
    world = PictureWorld(CASE_SCENES, CASES_SEED)
    of_catalogue = of_cases(world, CASES)
    by_relation = report(
        of_catalogue, said(model, world, of_catalogue), list(dict.fromkeys(e.type for e in of_catalogue))
    )
    print(*table(figures), "", *table(by_relation), sep="\n")
    print(
        f"\nCaptions of {CAPTIONED} scenes: {told['named']:.1%} of the names in the scene are mentioned; "
        f"{told['right']:.1%} of the names mentioned are there; {told['different']:.1%} of the captions are different."
    )
    if given.out:
        confusions = Counter((each.type, each.answer, text) for each, text in zip(asked, answers, strict=True))
        worst = [[*key, n] for key, n in confusions.most_common() if key[1] != key[2]][:60]
        whole = {"figures": figures, "relations": by_relation, "captions": told, "confusions": worst}
        given.out.write_text(json.dumps(whole, indent=1) + "\n")


def report(
    asked: Sequence[Asked], said: Sequence[str], types: Sequence[str], groups: Mapping[str, tuple[str, ...]] = NO_GROUPS
) -> dict[str, dict[str, float]]:
    """Questions, accuracy and the majority baseline of each type and group of types."""
    answers: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for each, text in zip(asked, said, strict=True):
        for name in (each.type, *(name for name, of in groups.items() if each.type in of), "all"):
            answers[name].append((each.answer, text == each.answer))
    return {
        name: {
            "questions": len(answers[name]),
            "accuracy": sum(right for _, right in answers[name]) / len(answers[name]),
            "majority": Counter(answer for answer, _ in answers[name]).most_common(1)[0][1] / len(answers[name]),
        }
        for name in (*types, *groups, "all")
        if answers[name]
    }


def table(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    """The figures as a Markdown table."""
    yield "| type | questions | right | most frequent answer |"
    yield "|---|---:|---:|---:|"
    for name, row in figures.items():
        yield f"| {name} | {row['questions']:.0f} | {row['accuracy']:.1%} | {row['majority']:.1%} |"


if __name__ == "__main__":
    main()
