"""Trains the tiny model further on what ``vqamt export`` wrote: ``python -m tools.tiny.finetune EXPORT -o DIR``.

Half of every step is about pictures of the export and their right answers. The other half is about scenes that the
model was trained on at first, every third of them in bad light, with sheets of questions as it had them then: of these
it is to say what it said before, so that it does not forget the rest (Li and Hoiem, "Learning without Forgetting", ECCV
2016). In the end the weights go three quarters of the way from where they were to where they came (Wortsman et al.,
"Robust fine-tuning of zero-shot models", CVPR 2022).

The picture encoder stays as it is. Words that the export has and the model has not become words of it, which begin as
the unknown word. All choices follow from the seed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm
from transformers import LlavaProcessor

from pytest_vqamt.models.transformers.tiny import WEIGHTS
from tools.tiny import bank, exported
from tools.tiny.build import VISION_WIDTHS, known_words, processor, save, tokenizer
from tools.tiny.eyes import pixel_values
from tools.tiny.pair import Schedule
from tools.tiny.render import CELLS, TRAIN_SEED, load, render
from tools.tiny.words import IGNORED, Sheet, Words, draw

PICTURES = (16, 8, 4)
"""Pictures of the export, and of the first training, in a step, each with as many questions as there is room for."""

RATE = 5e-4
REPLAYED = 1500
_KEEPING = 2.0
"""How much the second half counts."""
WAY = 0.75
"""How far the weights go towards those that were learned."""

_AT_ONCE = 64


def finetune(
    folder: Path,
    out: Path,
    *,
    steps: int = 300,
    rate: float = RATE,
    replayed: int = REPLAYED,
    seed: int = 0,
    start: Path = WEIGHTS,
    kept: Path | None = None,
) -> list[float]:
    """Writes the trained checkpoint to ``out``, and gives the loss of the export's answers in every step.

    ``kept`` is a folder in which the scenes of the first training are kept once they are drawn.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # denormal numbers are a hundred times slower
    with tempfile.TemporaryDirectory() as temporary:
        place = kept or Path(temporary)
        train = exported.read(folder, "train", place / "datasets")
        known = known_words(start)
        words = [*known, *train.words(known)]
        print(f"{sum(map(len, train.rows)):,} rows on {len(train.pictures):,} pictures, "
              f"{len(words) - len(known)} new words", flush=True)  # fmt: skip
        model = Words(tokenizer(words))
        model.begin_as(start)
        shown = train.bank(words), _features(model, _opened(train.pictures, start))
        as_before, in_bad_light = _replay(model, place / f"replay-{replayed}", words, replayed)
        losses = _learn(
            model, shown, as_before, in_bad_light, Schedule(steps=steps, rate=rate, warm_up=min(30, steps)), seed
        )
    save(model.llava, processor(tokenizer(words)), out)
    return losses


Set = tuple[bank.Bank, NDArray[np.float16]]


def _learn(model: Words, shown: Set, replayed: Set, in_bad_light: Set, schedule: Schedule, seed: int) -> list[float]:
    """Gives the loss of what is shown, step by step."""
    before = deepcopy(model).eval().requires_grad_(requires_grad=False)
    first = {name: value.clone() for name, value in model.state_dict().items()}
    parameters = [each for each in model.llava.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=schedule.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    model.train()
    losses: list[float] = []
    for step in tqdm(range(schedule.steps), desc="training", mininterval=5):
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate_at(step)
        optimizer.zero_grad()
        features, sheet = _drawn(shown, PICTURES[0], (seed, step, 0))
        answered = model.answered(features, sheet)[0]
        features, sheet = _drawn(replayed, PICTURES[1], (seed, step, 1))
        with torch.no_grad():
            said = before.answered(features, sheet)[1]
        kept = _apart(model.answered(features, sheet)[1], said, sheet)
        dim = model.answered(*_drawn(in_bad_light, PICTURES[2], (seed, step, 2)))[0]
        (answered + _KEEPING * kept + dim).backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
        nn.utils.clip_grad_norm_(parameters, schedule.clip)
        optimizer.step()
        losses.append(answered.item())
    model.load_state_dict({name: torch.lerp(first[name], last, WAY) for name, last in model.state_dict().items()})
    return losses


def _drawn(of: Set, count: int, seed: tuple[int, ...]) -> tuple[Tensor, Sheet]:
    rows, features = of
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.integers(0, len(features), count))
    return torch.from_numpy(features[chosen]).float(), draw(rows, chosen, rng)


def _apart(logits: Tensor, before: Tensor, sheet: Sheet) -> Tensor:
    """How far what is said is from what was said before: the Kullback-Leibler divergence."""
    weight = sheet.weight[sheet.target != IGNORED]
    divergence = functional.kl_div(logits.log_softmax(-1), before.log_softmax(-1), reduction="none", log_target=True)
    return (divergence.sum(-1) * weight).sum() / weight.sum()


def _replay(model: Words, folder: Path, words: list[str], count: int) -> tuple[Set, Set]:
    """Scenes of the first training with their sheets of questions, as they are and in bad light."""
    render(folder, TRAIN_SEED, count)
    (folder / "bank.npz").unlink(missing_ok=True)  # it may be one of other words
    bank.write(folder.parent, folder.name, words, 1)
    rows, pictures = bank.read(folder.parent, folder.name), load(folder).pictures
    parts = [np.array(pictures[at : at + _AT_ONCE]) for at in range(0, count, _AT_ONCE)]
    as_they_are = _features(model, map(pixel_values, parts))
    dim = _features(model, (pixel_values(_in_bad_light(part, number)) for number, part in enumerate(parts)))
    return (rows, as_they_are), (rows, dim)


def _in_bad_light(pictures: NDArray[np.uint8], seed: int) -> NDArray[np.uint8]:
    """Pictures, uint8 NHWC, with less contrast and some noise; copies."""
    rng = np.random.default_rng(seed)
    gain, noise = (rng.uniform(low, high, (len(pictures), 1, 1, 1)) for low, high in ((0.1, 0.8), (0, 20)))
    mean = pictures.mean((1, 2), keepdims=True)
    seen = mean + gain * (pictures - mean) + noise * rng.normal(0, 1, pictures.shape)
    dim: NDArray[np.uint8] = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
    return dim


def _opened(files: Sequence[str], start: Path) -> Iterator[Tensor]:
    """The pictures as the model's image processor hands them over."""
    images = LlavaProcessor.from_pretrained(start).image_processor
    for at in range(0, len(files), _AT_ONCE):
        pictures = []
        for file in files[at : at + _AT_ONCE]:
            with Image.open(file) as picture:
                pictures.append(picture.convert("RGB"))
        yield images(pictures, return_tensors="pt")["pixel_values"]


@torch.no_grad()
def _features(model: Words, batches: Iterable[Tensor]) -> NDArray[np.float16]:
    """What the picture encoder makes of them: pictures x cells x width."""
    tower = model.llava.model.vision_tower.eval()
    seen = [tower(pixel_values=batch, output_hidden_states=True).hidden_states[-1].half().numpy() for batch in batches]
    return np.concatenate(seen).reshape(-1, CELLS * CELLS, VISION_WIDTHS[-1])


def main() -> None:
    """Trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path, help="the folder that vqamt export wrote, in the layout imagefolder")
    parser.add_argument("-o", "--out", type=Path, required=True, help="where the checkpoint goes")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rate", type=float, default=RATE, help="the highest learning rate (default: %(default)s)")
    parser.add_argument("--replayed", type=int, default=REPLAYED, metavar="SCENES", help="of the first training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--start", type=Path, default=WEIGHTS, help="the checkpoint to begin with (default: tiny's own)"
    )
    parser.add_argument("--kept", type=Path, help="a folder that keeps the scenes of the first training once drawn")
    given = parser.parse_args()
    losses = finetune(
        given.export, given.out, steps=given.steps, rate=given.rate, replayed=given.replayed, seed=given.seed,
        start=given.start, kept=given.kept,
    )  # fmt: skip
    print(f"loss {np.mean(losses[:10]):.3f} at first, {np.mean(losses[-10:]):.3f} at last; written to {given.out}")


if __name__ == "__main__":
    main()
