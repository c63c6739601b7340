"""What the catalogue asks: its texts and its pictures, edited ones among them, about scenes of their own.

A text that has one right answer wherever it is asked would be known by its words. So each text about an unedited
picture is asked about another one, too, about which another answer is right, where one is found.
"""

from __future__ import annotations

import json
import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np

from pytest_vqamt.core.meaning import (
    NONE_OF_THESE,
    Choice,
    Has,
    Meaning,
    Property,
    WhichThere,
    groups_of,
    members,
    truth,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.prompts import PLACEHOLDER, PLAIN_PROMPTS
from pytest_vqamt.models.reference.oracle import answer_text
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import PublishedRelation
from pytest_vqamt.sampling.chooser import Sampler
from tools.tiny.render import CHUNK, SIZE_PX, SPOTS, shrink
from tools.tiny.sheets import Row

SEED = 90_003
SCENES = 6_000
CASES = 1_000
"""Of each relation variant."""

EDITED_SHARE = 0.12
MIRRORED_SHARE = 0.15
_TRIES = 30
_LEFT_OUT = (
    "basic_questions.noise", "control.repeat", "lang.switch", "overlay.question", "question.*", "think.on_off",
)  # fmt: skip
"""Questions in a row or of a data set, nothing new, other languages, and letters too small for this model's eyes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One query of a case.

    Attributes:
        item: the relation variant.
        scene: the index of the case's scene.
        picture: the picture, where it is not the scene's photo itself.
    """

    item: str
    scene: int
    picture: Picture | None
    task: Task
    text: str
    meaning: Meaning

    def row(self, scene: Scene) -> Row:
        """The query with the right answer about ``scene``."""
        prompt = PLAIN_PROMPTS.entailment if self.task is Task.ENTAILMENT else PLAIN_PROMPTS.question
        answer = said_rightly(self.text, self.meaning, scene)
        return Row(self.item.partition("[")[0], prompt.replace(PLACEHOLDER, self.text), answer)


def said_rightly(text: str, meaning: Meaning, scene: Scene) -> str:
    """The right answer in a word or as a caption, or the label of the right option where the text asks for it."""
    answer = answer_text(truth(meaning, scene))
    for labels, how in (("abcdefgh", "Answer with the letter"), ("12345678", "Answer with the number")):
        if how in text:
            return labels[_options(meaning).index(answer)]
    return answer


def _options(meaning: Meaning) -> tuple[str, ...]:
    match meaning:
        case Choice(options=options):
            return options
        case WhichThere(groups=groups):
            return (*(group.name for group in groups), NONE_OF_THESE)
    return ()


def items() -> list[str]:
    """All relation variants that ask something."""
    names = (name for name in catalogue.BUILT_IN if not any(fnmatchcase(name, glob) for glob in _LEFT_OUT))
    return [
        relation.info.item(variant)
        for relation in map(catalogue.get, names)
        if not isinstance(relation, PublishedRelation)
        for variant in relation.info.variants
    ]


def queries(world: PictureWorld, item: str, cases: int) -> Iterator[Query]:
    """All queries of so many cases of one relation variant."""
    relation = catalogue.get(item.partition("[")[0])
    variant = next(each for each in relation.info.variants if relation.info.item(each) == item)
    for case in Plan(relation, variant, world, Sampling(max_cases=cases, sampler=Sampler.RANDOM)):
        yield from case.queries


def elsewhere(query: Asked, scenes: Sequence[Scene], having: dict[str, list[int]], rng: Random) -> int | None:
    """The index of a scene about which another answer to the same text is right; most often one with such things."""
    right = truth(query.meaning, scenes[query.scene])
    groups = groups_of(query.meaning)
    names = [name for group in groups[:1] for name in group.covers or (group.name,)]
    near = [index for name in names for index in having.get(name, ())]
    for attempt in range(_TRIES):
        index = rng.choice(near) if near and attempt < _TRIES * 2 // 3 else rng.randrange(len(scenes))
        other = scenes[index]
        if isinstance(query.meaning, Choice | Has) and len(members(groups[0], other)) != 1:
            continue
        if isinstance(query.meaning, Property) and len(members(groups[0], other)) > 1:
            continue
        if truth(query.meaning, other) not in (right, None):
            return index
    return None


_world: PictureWorld


def write(folder: Path, workers: int) -> None:
    """Draws the pictures into ``folder`` and writes what is asked about each, unless they are there."""
    global _world
    if (folder / "done.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    _world = PictureWorld(SCENES, SEED)
    scenes = [_world.scene(index) for index in range(SCENES)]
    _ = _world.corpus
    pictures = [scene.picture for scene in scenes]
    rows: list[dict[tuple[Task, str], Row]] = [{} for _ in pictures]
    having: defaultdict[str, list[int]] = defaultdict(list)
    for index, scene in enumerate(scenes):
        for name in {thing.name for thing in scene.objects}:
            having[name].append(index)
    rng = Random(SEED)
    # The workers are forked, so that each has the scenes.
    with get_context("fork").Pool(workers) as pool:
        for ready, found in enumerate(pool.imap(_planned, items()), 1):
            for query in found:
                if query.picture is not None:
                    pictures.append(query.picture)
                    row = query.row(query.picture.scene)
                    rows.append({} if query.task is Task.CAPTIONING else {(query.task, query.text): row})
                elif query.task is not Task.CAPTIONING:
                    rows[query.scene][query.task, query.text] = query.row(scenes[query.scene])
                    other = elsewhere(query, scenes, having, rng)
                    if other is not None:
                        rows[other][query.task, query.text] = query.row(scenes[other])
            print(f"planned {ready} relation variants, {len(pictures):,} pictures", flush=True)
    mirrored = [scene.picture.mirror() for scene in scenes if rng.random() < MIRRORED_SHARE]
    pictures.extend(mirrored)
    rows.extend({} for _ in mirrored)
    with (folder / "rows.pickle").open("wb") as file:
        pickle.dump([list(each.values()) for each in rows], file)
    _draw_all(folder, pictures, workers)


def _planned(item: str) -> list[Asked]:
    """The queries about unedited pictures, each text once, and some of those about edited ones."""
    rng = Random(item)
    found = {
        query.id: Asked(
            item=item,
            scene=_world.place(query.picture.photo.id),
            picture=query.picture if query.picture.edits else None,
            task=query.task,
            text=query.text,
            meaning=query.meaning,
        )
        for query in queries(_world, item, CASES)
        if not query.picture.edits or rng.random() < EDITED_SHARE
    }
    return list(found.values())


def _draw_all(folder: Path, pictures: Sequence[Picture], workers: int) -> None:
    count = len(pictures)
    shape = (count, SIZE_PX, SIZE_PX, 3)
    np.lib.format.open_memmap(folder / "pictures.npy", mode="w+", dtype=np.uint8, shape=shape)
    np.lib.format.open_memmap(folder / "spots.npy", mode="w+", dtype=np.uint8, shape=(count, SPOTS, SPOTS))
    jobs = [(folder, start, pictures[start : start + CHUNK]) for start in range(0, count, CHUNK)]
    with get_context("fork").Pool(workers) as pool:
        for ready, _ in enumerate(pool.imap_unordered(_draw, jobs), 1):
            print(f"drawn {min(ready * CHUNK, count):,} of {count:,} pictures of cases", flush=True)
    (folder / "done.json").write_text(json.dumps([SEED, count, SIZE_PX]))


def _draw(job: tuple[Path, int, Sequence[Picture]]) -> None:
    folder, start, pictures = job
    drawn = np.load(folder / "pictures.npy", mmap_mode="r+")
    for index, picture in enumerate(pictures, start):
        drawn[index] = np.asarray(shrink(render(picture, _world)))
    with (folder / f"scenes-{start}.pickle").open("wb") as file:
        pickle.dump([picture.scene for picture in pictures], file)


def rows_of(folder: Path) -> list[list[Row]]:
    """What is asked about each picture in ``folder``; empty where its scenes were not drawn for cases."""
    file = folder / "rows.pickle"
    return pickle.loads(file.read_bytes()) if file.exists() else []
