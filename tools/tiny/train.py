"""Trains the tiny model: ``python -m tools.tiny.train runs/tiny [--start CHECKPOINT]``.

Stages, each with a checkpoint of its own, so that a run that was interrupted goes on where it was:

1. scenes of the picture world are drawn, once, into memory-mapped files;
2. ``eyes``: the picture encoder learns to name what is in every cell, from exact masks;
3. the catalogue's cases about other scenes are planned, and their pictures, edited ones among them, are drawn;
4. a sheet of questions about each scene is written, and the encoder's features of each picture are kept;
5. ``words``: the language model learns to answer, a whole sheet about one picture in one sequence;
6. the checkpoint directory is written, with weights in half precision.

With ``--start``, both parts begin as in that checkpoint and not from chance, and the encoder learns for fewer steps.
All choices follow from the seed.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from transformers import LlavaForConditionalGeneration

from tools.tiny import bank, cases, eyes, words
from tools.tiny.build import VISION_WIDTHS, known_words, processor, save, tokenizer
from tools.tiny.dense import dense_labels
from tools.tiny.pair import WORKERS, Schedule, finished, in_workers
from tools.tiny.render import CELLS, HELD_OUT_SEED, TRAIN_SEED, load, render

SEED = 20_261
TRAIN_SCENES = 24_000
HELD_OUT_SCENES = 1_000
SETS = ("train", "cases", "held_out")


def see(worker: int, folder: Path, start: Path | None) -> None:
    """Stage 2, in one worker."""
    begun = LlavaForConditionalGeneration.from_pretrained(start).model.vision_tower.float() if start else None
    train, held_out = (load(folder / data) for data in ("train", "held_out"))
    eyes.learn_to_see(train, held_out, worker, folder, SEED, _schedule(eyes, start), begun)


def look(worker: int, folder: Path) -> None:
    """The second half of stage 4, in one worker."""
    seeing = _trained_eyes(folder)
    for data in SETS:
        pictures = np.load(folder / data / "pictures.npy", mmap_mode="r")
        words.keep_features(seeing, pictures, folder / data / "features.part.npy", worker, WORKERS)


def answer(worker: int, folder: Path, start: Path | None) -> None:
    """Stage 5, in one worker."""
    torch.manual_seed(SEED)
    split = tokenizer(_vocabulary(folder))
    model = words.Words(split)
    if start:
        model.begin_as(start)
    train, asked, held_out = (
        (
            bank.read(folder, data),
            np.load(folder / data / "features.npy", mmap_mode="r"),
            dense_labels(load(folder / data)),
            words.nouns_of(load(folder / data).scenes, split),
        )
        for data in SETS
    )
    words.learn_to_answer(model, (train, asked), held_out, worker, folder, SEED, _schedule(words, start))


def prepare(folder: Path, start: Path | None) -> None:
    """The first half of stage 4. Words of ``start`` come first, in its order."""
    file = folder / "words.json"
    if not file.exists():
        found = bank.words_of(load(folder / "train"), cases.rows_of(folder / "cases"))
        file.write_text(json.dumps(list(dict.fromkeys((*(known_words(start) if start else ()), *found)))))
    for data in SETS:
        bank.write(folder, data, _vocabulary(folder), WORKERS)


def features(folder: Path) -> None:
    """The second half of stage 4, in workers; done when the files bear their final names."""
    if all((folder / data / "features.npy").exists() for data in SETS):
        return
    for data in SETS:
        count = len(np.load(folder / data / "pictures.npy", mmap_mode="r"))
        shape = (count, CELLS * CELLS, VISION_WIDTHS[-1])
        part = folder / data / "features.part.npy"
        np.lib.format.open_memmap(part, mode="w+", dtype=np.float16, shape=shape)
    in_workers(look, folder)
    for data in SETS:
        (folder / data / "features.part.npy").replace(folder / data / "features.npy")


def export(folder: Path, target: Path) -> None:
    """Stage 6: both halves together."""
    split = tokenizer(_vocabulary(folder))
    model = words.Words(split)
    model.load_state_dict(torch.load(folder / "words.pt", weights_only=True)["model"])
    seeing = _trained_eyes(folder)
    model.llava.model.vision_tower.load_state_dict(seeing.tower.state_dict())
    save(model.llava, processor(split), target)


def _schedule(stage: ModuleType, start: Path | None) -> Schedule:
    found: Schedule = stage.FURTHER if start else stage.SCHEDULE
    return found


def _trained_eyes(folder: Path) -> eyes.Eyes:
    seeing = eyes.Eyes()
    seeing.load_state_dict(torch.load(folder / "eyes.pt", weights_only=True)["model"])
    return seeing.eval()


def _vocabulary(folder: Path) -> list[str]:
    found: list[str] = json.loads((folder / "words.json").read_text())
    return found


def main() -> None:
    """Runs all stages that are not done yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where pictures, checkpoints and the result go")
    parser.add_argument("--start", type=Path, help="a checkpoint to begin with")
    given = parser.parse_args()
    folder: Path = given.folder
    render(folder / "train", TRAIN_SEED, TRAIN_SCENES)
    render(folder / "held_out", HELD_OUT_SEED, HELD_OUT_SCENES)
    if not finished(folder, "eyes", _schedule(eyes, given.start)):
        in_workers(partial(see, start=given.start), folder)
    cases.write(folder / "cases", WORKERS)
    prepare(folder, given.start)
    features(folder)
    if not finished(folder, "words", _schedule(words, given.start)):
        in_workers(partial(answer, start=given.start), folder)
    export(folder, folder / "model")
    print(f"written to {folder / 'model'}", flush=True)


if __name__ == "__main__":
    main()
