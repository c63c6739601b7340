"""Classifiers over a list of answers: which answer each output stands for, and answers from logits.

LXMERT and VisualBERT end in a classifier over a fixed list of answers, which their published checkpoints lack. A list
of the right length in another order makes every answer wrong without an error: ViLT's list, LXMERT's and VisualBERT's
all have 3,129 answers, each in its own order. So a list comes from the checkpoint or from the user, never from another
model, and a file as long as a published list must begin like it.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.errors import ModelError, OptionError, cache_home
from pytest_vqamt.core.input_files import expanded, parse_json, read_text
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, read_checkpoint_config

if TYPE_CHECKING:
    import torch


_TIMEOUT_S = 30

TOP_ANSWERS = 5
"""Answers that are reported with their scores."""

DECIMALS = 3
"""Of a score: the rest of a batch changes it by 1e-6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedList:
    """A list of answers that a model's authors published."""

    address: str
    """Where ``answers=download`` fetches it from."""
    begins: tuple[str, ...]
    """Its first answers, which show a list of the same length in another order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLists:
    """Where one kind of model finds its list of answers."""

    kind: str
    """The kind in specs."""
    file_names: tuple[str, ...]
    """File names of a list beside the weights."""
    published: Mapping[int, PublishedList]
    """The lists of its authors, by their length."""

    def of(self, checkpoint: Checkpoint, count: int, options: ModelOptions) -> tuple[str, ...]:
        """The answers in the order of the classifier's ``count`` outputs.

        They come from ``--vqamt-option answers=``, else a file beside the weights, else the ``id2label`` of the
        configuration.

        Raises:
            OptionError: the user's file is no list of answers, or cannot be downloaded.
            ModelError: there is no list, or not of ``count`` answers.
        """
        named = options.settings.get("answers")
        if named == "download":
            file = self._downloaded(count)
        elif named is not None:
            file = expanded(named)
            if not file.is_file():
                raise OptionError(f"Expected {setting('answers', 'FILE')} or download, but there is no file {named!r}")
        else:
            found = next((place for name in self.file_names if (place := checkpoint.folder / name).is_file()), None)
            if found is None:
                return self._labels(checkpoint, count)
            file = found
        answers = read_answers(file)
        self._check(answers, count, file, checkpoint)
        return answers

    def are_in(self, folder: Path) -> bool:
        """True if the folder of the weights has a list of answers, in a file or in the configuration."""
        config = read_checkpoint_config(Checkpoint(folder=folder, name=str(folder)))
        return any((folder / name).is_file() for name in self.file_names) or _real_labels(config) is not None

    def _check(self, answers: tuple[str, ...], count: int, file: Path, checkpoint: Checkpoint) -> None:
        if len(answers) != count:
            raise ModelError(
                f"Expected {count} answers, one for each output of the model in {checkpoint.folder}, but {file} has "
                f"{len(answers)}: take the list that this model was trained with"
            )
        # Lists of other lengths were trained by the user, and nothing is known of their order.
        known = self.published.get(count)
        if known and answers[: len(known.begins)] != known.begins:
            raise ModelError(
                f"Expected the {count} answers of {self.kind}, which begin {known.begins!r}, but those in {file} begin "
                f"{answers[: len(known.begins)]!r}: lists of other models are as long but in another order. Take the "
                f"one at {known.address}; a model that was trained with this list has it as id2label in its config.json"
            )

    def _labels(self, checkpoint: Checkpoint, count: int) -> tuple[str, ...]:
        labels = _real_labels(read_checkpoint_config(checkpoint))
        if labels is not None and len(labels) == count:
            return labels
        found = "none" if labels is None else f"one of {len(labels)}"
        known = self.published.get(count)
        published = f", answers=download for the one that its authors published ({known.address})" if known else ""
        raise ModelError(
            f"Expected a list of the {count} answers of the model in {checkpoint.folder}, but its config.json has "
            f"{found}: give {setting('answers', 'FILE')}{published}, or put the list beside the weights as "
            f"{self.file_names[0]}"
        )

    def _downloaded(self, count: int) -> Path:
        known = self.published.get(count)
        if known is None:
            lengths = " or ".join(str(length) for length in self.published)
            raise OptionError(
                f"Expected a model with {lengths} answers for {setting('answers', 'download')}, but this one has "
                f"{count}: give answers=FILE with the list that it was trained with"
            )
        file = cache_home() / "answers" / f"{self.kind}-{count}{Path(known.address).suffix}"
        if not file.is_file():
            _download(known.address, file)
        return file


def read_answers(file: Path) -> tuple[str, ...]:
    """The answers in a JSON list, or in the lines of any other file.

    Raises:
        OptionError: it cannot be read, or is no list of texts.
    """
    try:
        # LXMERT's list is JSON; VisualBERT's (Pythia) has an answer a line.
        text = read_text(file)
        read: object = parse_json(text) if file.suffix == ".json" else text.splitlines()
    except (OSError, ValueError) as error:
        raise OptionError(f"Expected a file of answers that can be read, but got {file}: {error}") from error
    if not isinstance(read, list) or not all(isinstance(answer, str) for answer in read):
        raise OptionError(
            f"Expected a JSON list of answers, in the order of the model's outputs, in {file}, but got "
            f"{'a list of other things' if isinstance(read, list) else type(read).__name__}; the id2label of another "
            "model will not do: each has an order of its own"
        )
    if not any(answer.strip() for answer in read):
        raise OptionError(f"Expected a list of answers in {file}, but all of it is empty")
    # An empty answer is kept, as the first of LXMERT's is: each line is an output.
    return tuple(answer.strip() for answer in read)


def _real_labels(config: Mapping[str, object]) -> tuple[str, ...] | None:
    """The labels of a configuration; None where there are none, or only transformers' placeholders."""
    given = config.get("id2label")
    if not isinstance(given, dict) or not all(isinstance(label, str) for label in given.values()):
        return None
    # JSON has the numbers as texts, a configuration in memory as integers.
    numbered = {str(number): label for number, label in given.items()}
    labels = [numbered.get(str(number)) for number in range(len(numbered))]
    named = tuple(label.strip() for label in labels if label is not None)
    if len(named) != len(labels) or all(label == f"LABEL_{number}" for number, label in enumerate(named)):
        return None
    return named


def _download(address: str, file: Path) -> None:
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as response:
            content: bytes = response.read()
        file.parent.mkdir(parents=True, exist_ok=True)
        # In one step: other workers may look for the file at the same moment.
        with replacing(file) as part:
            part.write_bytes(content)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"Expected to fetch the list of answers from {address}, but: {error}; fetch it where there is a network "
            f"and give {setting('answers', 'FILE')}"
        ) from error


def answers_from_logits(
    logits: torch.Tensor, probabilities: torch.Tensor, labels: Sequence[str], cut: Sequence[bool]
) -> tuple[Answer, ...]:
    """The label of the highest logit for each input, and the rounded probabilities of the five best.

    The logits decide, because probabilities near 1 are equal in 32 bits where logits are not. Both are float (inputs,
    labels), of the same order; ``cut`` is True for each input whose text was truncated.

    Raises:
        ArithmeticError: some logits are not finite.
    """
    check_finite(logits)
    places = logits.topk(min(TOP_ANSWERS, len(labels)), dim=1).indices
    # In 64 bits, so that rounding to three decimals gives short numbers.
    scores = probabilities.double().gather(1, places).tolist()
    return tuple(
        Answer(
            labels[best[0]],
            tuple((labels[place], round(score, DECIMALS)) for place, score in zip(best, of_best, strict=True)),
            truncated,
        )
        for best, of_best, truncated in zip(places.tolist(), scores, cut, strict=True)
    )


def check_finite(scores: torch.Tensor) -> None:
    """Raises ArithmeticError if a score is infinite or NaN."""
    if not bool(scores.isfinite().all()):
        raise ArithmeticError(
            "the model's scores are not finite numbers: the precision is too low for it, or too low for this "
            f"processor, whose 16-bit kernels may be faulty (give {option('dtype', 'float32')}), or its weights are "
            "damaged"
        )


def check_step_scores(_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """A logits processor of ``generate`` that returns the scores (inputs, words) unchanged.

    Raises:
        ArithmeticError: an input's highest score is not finite. Others may be minus infinity: suppressed words.
    """
    check_finite(scores.amax(dim=-1))
    return scores
