"""Held-out figures of the tiny model: ``python -m tools.tiny.evaluate [CHECKPOINT] [--out FILE]``.

Questions are about scenes that training never saw, with answers balanced within each type and negatives that could well
be there. An answer counts as right where it is the expected word and nothing else. Prints a Markdown table with the
share that the most frequent answer would get, and writes figures and confusions as JSON.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image
from tqdm import tqdm

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import PLAIN_PROMPTS
from pytest_vqamt.models.transformers.tiny import WEIGHTS, TinyLlava
from pytest_vqamt.picture_world.looks import NAMES
from pytest_vqamt.picture_world.source import PictureWorld
from tools.tiny.asked import World
from tools.tiny.render import HELD_OUT_SEED
from tools.tiny.sheets import sheet

FIRST_SCENE = 10_000
"""Scenes before it were looked at while training went on."""

SCENES = 6000
WORLD_SCENES = 1000
CAPTIONED = 500
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
    Type(name="left or right of", kinds=("spatial",), most=200),
    Type(name="on, under, wearing, holding", kinds=("relation",), most=200),
    Type(name="both, either", kinds=("both", "either"), most=150),
    Type(name="entailment", kinds=("entailment",), most=400),
)  # fmt: skip

GROUPS: dict[str, tuple[str, ...]] = {
    "existence, all": ("existence", "existence, negated", "existence with a property",
                       "existence with a property, negated"),
    "counting 0 to 5, all": ("counting, one group", "counting, one group with a property", "counting, two groups",
                             "counting, two properties"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question about a held-out scene."""

    type: str
    scene: int
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
                here.append(Asked(type=each.name, scene=number, text=_bare(row.kind, row.text), answer=row.answer))
    return [each for name in TYPES for (of, _), here in sorted(found.items()) if of == name.name for each in here]


def _bare(kind: str, text: str) -> str:
    """The hypothesis itself, which the adapter puts into the prompt."""
    if kind != "entailment":
        return text
    before, after = PLAIN_PROMPTS.entailment.split("{text}")
    return text.removeprefix(before).removesuffix(after)


def inputs(
    scenes: Sequence[Scene], photos: PictureWorld, asked: Sequence[tuple[int, str]]
) -> Iterator[list[ModelInput]]:
    """Batches of (scene, text)."""

    def render(picture: Picture) -> Image.Image:
        return photos.photo(picture.photo)

    rows = [
        ModelInput(Query(picture=scenes[number].picture, text=text, meaning=Describe()), render)
        for number, text in asked
    ]
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]


def named_in(caption: str) -> set[str]:
    """The names of the picture world that a caption mentions."""
    return {
        name for name in NAMES if re.search(rf"\b(?:{re.escape(name)}|{re.escape(plural(name))})\b", caption.lower())
    }


def captions(model: TinyLlava, scenes: Sequence[Scene], photos: PictureWorld) -> dict[str, float]:
    """How many of the names in a scene its caption mentions, and how many that it mentions are there."""
    there = mentioned = both = 0
    asked = [(number, "") for number in range(CAPTIONED)]
    said = [answer.text for batch in inputs(scenes, photos, asked) for answer in model.caption(batch)]
    for number, text in enumerate(said):
        names, found = {thing.name for thing in scenes[number].objects}, named_in(text)
        there, mentioned, both = there + len(names), mentioned + len(found), both + len(names & found)
    return {"named": both / there, "right": both / max(1, mentioned), "different": len(set(said)) / len(said)}


def main() -> None:
    """Asks, counts, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, nargs="?", default=WEIGHTS)
    parser.add_argument("--out", type=Path, help="a JSON file for figures and confusions")
    given = parser.parse_args()
    photos = PictureWorld(FIRST_SCENE + SCENES, HELD_OUT_SEED)
    scenes = [photos.scene(FIRST_SCENE + number) for number in range(SCENES)]
    asked = balanced(scenes, World.of(scenes[:WORLD_SCENES]))
    asked.sort(key=lambda each: (each.type == "entailment", each.scene))
    model = TinyLlava(given.checkpoint, ModelOptions(), PLAIN_PROMPTS)
    said: list[str] = []
    for task in (model.answer, model.entail):
        part = [each for each in asked if (each.type == "entailment") == (task == model.entail)]
        batches = list(inputs(scenes, photos, [(each.scene, each.text) for each in part]))
        for batch in tqdm(batches, desc=task.__name__):
            said.extend(answer.text for answer in task(batch))
    told = captions(model, scenes, photos)
    figures = report(asked, said)
    for line in table(figures):
        print(line)
    print(
        f"\nCaptions of {CAPTIONED} scenes: {told['named']:.1%} of the names in the scene are mentioned; "
        f"{told['right']:.1%} of the names mentioned are there; {told['different']:.1%} of the captions are different."
    )
    if given.out:
        confusions = Counter((each.type, each.answer, text) for each, text in zip(asked, said, strict=True))
        worst = [[*key, n] for key, n in confusions.most_common() if key[1] != key[2]][:60]
        given.out.write_text(json.dumps({"figures": figures, "captions": told, "confusions": worst}, indent=1) + "\n")


def report(asked: Sequence[Asked], said: Sequence[str]) -> dict[str, dict[str, float]]:
    """Questions, accuracy and the majority baseline of each type and group of types."""
    answers: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for each, text in zip(asked, said, strict=True):
        groups = [name for name, types in GROUPS.items() if each.type in types]
        for name in (each.type, *groups, "all"):
            answers[name].append((each.answer, text == each.answer))
    order = [*(each.name for each in TYPES), *GROUPS, "all"]
    return {
        name: {
            "questions": len(answers[name]),
            "accuracy": sum(right for _, right in answers[name]) / len(answers[name]),
            "majority": Counter(answer for answer, _ in answers[name]).most_common(1)[0][1] / len(answers[name]),
        }
        for name in order
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
