"""The adapter of LXMERT and VisualBERT: a question and 36 regions of a picture go in, scores of answers come out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.core.spelling import option, settings
from pytest_vqamt.models.batching import distinct_pictures
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.loading import ADDRESS, is_detector_here
from pytest_vqamt.models.region_models.region_source import region_source
from pytest_vqamt.models.region_models.regions import Regions, RegionTensors
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    fetched_folder,
    files_digest,
    first_line,
    load_head,
    local_folder,
    read_checkpoint_config,
    runtime_for,
)
from pytest_vqamt.models.transformers.classifier import AnswerLists, answers_from_logits
from pytest_vqamt.models.transformers.inputs import TextTokens, load_tokenizer
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel, exclusive

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase


_LARGEST_GPU_BATCH = 1024
"""The largest batch worth trying on an accelerator."""

_NO_ANSWER = ("", "<unk>")
"""The first entries of published lists: answers that normalizing leaves empty (LXMERT), and a placeholder for answers
outside of the list (VisualBERT).
"""

HOLDS = " with the weights, the list of answers and the detector"
"""The content of a folder that needs no network, in messages."""

BERT = "google-bert/bert-base-uncased"
"""The tokenizer of LXMERT and VisualBERT."""

_VOCABULARY_FILE = "vocab.txt"
_BERT_FILES = ("tokenizer.json", "tokenizer_config.json", _VOCABULARY_FILE)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RegionBatch:
    """A batch on the device, B questions of T tokens about 36 regions each."""

    ids: torch.Tensor
    """Int64 (B, T), the tokens of the questions."""
    attended: torch.Tensor
    """Int64 (B, T), 1 for a token and 0 for padding."""
    features: torch.Tensor
    """(B, 36, 2048), in the model's precision."""
    boxes: torch.Tensor
    """(B, 36, 4), as in ``Regions``, in the model's precision."""
    seen: torch.Tensor
    """Int64 (B, 36), 1 for a region and 0 for padding."""


class RegionQuestionModel(TwoStepModel):
    """Answers questions. Each distinct picture of a batch is detected, and moved to the device, once.

    The answers "" and "<unk>", with which the published lists begin, are skipped; scores are the softmax over the
    others.

    Attributes:
        head: its class in transformers.
        kind, version: of the fingerprint; the version goes up when answers change for the same weights and packages.
    """

    head = ""
    kind = ""
    version = 1
    form: QuestionLayout
    """How questions are written."""
    batch_size = 32

    def __init__(self, checkpoint: Checkpoint, answers: tuple[str, ...], options: ModelOptions) -> None:
        """Loads the checkpoint; ``answers`` has one for each of its outputs.

        Raises:
            OptionError: a setting is invalid.
            ModelError: a file is missing or of another model.
        """
        # Small files first: an error in them shows before gigabytes are read.
        self._tokenizer = bert_tokenizer(checkpoint, config_int(checkpoint, "vocab_size", 30522))
        super().__init__(runtime_for(checkpoint, options))
        self._regions = region_source(options, checkpoint.folder)
        self._model = load_head(self.head, checkpoint, self._runtime)
        self._folder = checkpoint.folder
        self._answers = answers
        self._outputs = [number for number, answer in enumerate(answers) if answer not in _NO_ANSWER]
        self._labels = [answers[number] for number in self._outputs]

    @property
    def largest_batch(self) -> int:
        """The largest batch worth trying; on the CPU a larger one is no faster."""
        return self.batch_size if self._runtime.device.type == "cpu" else _LARGEST_GPU_BATCH

    @property
    def network(self) -> torch.nn.Module:
        return cast("torch.nn.Module", self._model)

    @property
    def usage(self) -> Mapping[str, float]:
        return self._regions.usage

    @cached_property
    def fingerprint(self) -> str:
        # Region features and answers are settings: either changes what the same weights say.
        settings = digest(canonical_json(self._answers)), self._regions.fingerprint, self.form.fingerprint
        return self._runtime.fingerprint(self.kind, self.version, files_digest(self._folder), *settings)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.VQA, batch)

    @abstractmethod
    def score(self, batch: RegionBatch) -> torch.Tensor:
        """Logits (B, answers) of a batch."""

    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        """Tokenizes questions, reads known regions, and renders pictures for the detector.

        Regions wait in the precision of the model: 0.15 or 0.3 MB a picture.
        """
        import torch

        tokens = tokenize_questions([item.text for item in batch], self._tokenizer, self.form, self._runtime)
        firsts, which = distinct_pictures(batch)
        found = self._regions.prefetch(firsts)
        known = [regions for regions in found if regions is not None]
        ready = _PreprocessedQuestions(
            tokens=tokens,
            which=self._runtime.pin(torch.tensor(which)),
            # Stacked and pinned here, beside the model, where the detector has nothing left to do.
            found=self._tensors(known) if len(known) == len(firsts) else found,
            firsts=firsts,
        )
        return partial(self._answers_to, ready)

    def _answers_to(self, ready: _PreprocessedQuestions) -> tuple[Answer, ...]:
        logits = self._logits(ready).float()[:, self._outputs]
        return answers_from_logits(logits, logits.softmax(1), self._labels, ready.tokens.cut)

    def _logits(self, ready: _PreprocessedQuestions) -> torch.Tensor:
        return self.score(self._batch_on_device(ready))

    def _batch_on_device(self, ready: _PreprocessedQuestions) -> RegionBatch:
        import torch

        runtime = self._runtime
        known = ready.found if isinstance(ready.found, RegionTensors) else self._detected(ready.firsts, ready.found)
        regions = known.on(runtime)
        place = runtime.to_device(ready.which)
        real = (torch.arange(regions.features.shape[1], device=runtime.device) < regions.counts[:, None]).long()
        return RegionBatch(
            ids=runtime.to_device(ready.tokens.ids),
            attended=runtime.to_device(ready.tokens.attended),
            features=regions.features[place],
            boxes=regions.boxes[place],
            seen=real[place],
        )

    def _detected(self, firsts: Sequence[ModelInput], found: Sequence[Regions | None]) -> RegionTensors:
        """The regions of all pictures; the detector runs where ``found`` has None."""
        missing = iter(
            self._regions.regions([item for item, regions in zip(firsts, found, strict=True) if regions is None])
        )
        return self._tensors([next(missing) if regions is None else regions for regions in found])

    def _tensors(self, regions: Sequence[Regions]) -> RegionTensors:
        return RegionTensors.of(regions, self._model.dtype, self._runtime)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _PreprocessedQuestions:
    """A preprocessed batch: B questions of T tokens."""

    tokens: TextTokens
    """Of the questions, (B, T)."""
    which: torch.Tensor
    """Int64 (B,), the index of its picture."""
    found: RegionTensors | Sequence[Regions | None]
    """The regions of the distinct pictures; None for each that must be detected."""
    firsts: Sequence[ModelInput]
    """An input for each distinct picture."""


def check_config_int(checkpoint: Checkpoint, name: str, wanted: int, *, default: int) -> None:
    """Raises ModelError where a number of the configuration does not fit the detector's regions."""
    found = config_int(checkpoint, name, default)
    if found != wanted:
        raise ModelError(
            f"Expected {name} to be {wanted}, as the regions of the Bottom-Up-Top-Down detector have it, in "
            f"{checkpoint.folder / 'config.json'}, but got {name}={found!r}: no others can be made here"
        )


def config_int(checkpoint: Checkpoint, name: str, default: int) -> int:
    """A positive integer of the configuration; ``default`` as in transformers.

    Raises:
        ModelError: it is something else.
    """
    value = read_checkpoint_config(checkpoint).get(name, default)
    # JSON's true is an int in Python.
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(
            f"Expected {name} to be a whole number in {checkpoint.folder / 'config.json'}, but got {name}={value!r}"
        )
    return value


def check_needs(named: str, published: tuple[str, ...], lists: AnswerLists, options: ModelOptions) -> None:
    """Checks, before anything is fetched, that a list of answers or a detector is at hand.

    Where one thing alone is missing, what looks for it says more. A model on the hub that was never fetched may bring
    its answers, unless it is one that the authors ``published``.

    Raises:
        ModelError: there are neither answers nor a detector.
    """
    folder = local_folder(named, f"{lists.kind}:") or fetched_folder(named)
    is_in_folder = lists.are_in(folder) if folder is not None else named not in published
    has_answers = "answers" in options.settings or is_in_folder
    # Neither is there: one message with all that is to be fetched, instead of one after the other.
    if has_answers or {"detector", "features"} & set(options.settings) or is_detector_here(folder):
        return
    model = option("model", lists.kind if named == published[0] else f"{lists.kind}:{named}")
    fetched = settings({"answers": "download", "detector": "download"})
    hosts = {urlsplit(each.address).netloc for each in lists.published.values()} | {urlsplit(ADDRESS).netloc}
    raise ModelError(
        f"Expected weights, a list of answers and a region detector for {lists.kind}, but got neither list nor "
        f"detector: give {model} {fetched} to fetch all (from {', '.join(sorted(hosts))} and, for weights, the hub), "
        f"or files with {settings({'answers': 'FILE', 'detector': 'PATH'})}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLayout:
    """The layout of a model's questions: ``[CLS] question [SEP]``."""

    longest: int
    """The most tokens, special ones included."""
    step: int
    """The number of tokens is padded to a multiple of this, the same for almost any batch."""
    without: str = ""
    """Characters that are left out."""
    ending: tuple[str, ...] = ()
    """Tokens after the question, however long it is."""

    @property
    def fingerprint(self) -> str:
        """The layout as fingerprints have it."""
        # The name is that of the class when answers were first cached: with another one none of them would be found.
        return (
            f"QuestionForm(longest={self.longest}, step={self.step}, without={self.without!r}, ending={self.ending!r})"
        )


def bert_tokenizer(checkpoint: Checkpoint, rows: int) -> PreTrainedTokenizerBase:
    """The checkpoint's own tokenizer; BERT's, from the hub, for a checkpoint of the hub that has none.

    Raises:
        ModelError: a folder has none, it cannot be downloaded, or it is not for ``rows`` words.
    """
    if any((checkpoint.folder / name).is_file() for name in ("tokenizer.json", _VOCABULARY_FILE)):
        return load_tokenizer(checkpoint, rows)
    if expanded(checkpoint.name).is_dir():
        raise ModelError(
            f"Expected a tokenizer beside the weights, but {checkpoint.folder} has neither vocab.txt nor tokenizer.json"
            f": every word would be unknown to the model. Copy {', '.join(_BERT_FILES)} of {BERT} there"
        )
    from transformers import BertTokenizer

    return load_tokenizer(Checkpoint(folder=_bert_snapshot(), name=BERT), rows, BertTokenizer)


def tokenize_questions(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, form: QuestionLayout, runtime: Runtime
) -> TextTokens:
    """Tokenizes texts by the layout into pinned memory, padded to the length of the longest."""
    import torch

    # By hand, since the authors cut questions so that their ending stays, which no tokenizer setting does.
    first, last, fill, *ending = cast(
        "list[int]", tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]", "[PAD]", *form.ending])
    )
    room = form.longest - 2 - len(ending)
    left_out = str.maketrans("", "", form.without)
    with exclusive(tokenizer):
        # Not verbose: it would warn on the terminal of texts that are too long, which are cut and counted here.
        words: list[list[int]] = tokenizer(
            [text.translate(left_out) for text in texts], add_special_tokens=False, truncation=False, verbose=False
        )["input_ids"]
    rows = [[first, *some[:room], *ending, last] for some in words]
    length = min(form.longest, -(-max(len(row) for row in rows) // form.step) * form.step)
    return TextTokens(
        ids=runtime.pin(torch.tensor([[*row, *[fill] * (length - len(row))] for row in rows])),
        attended=runtime.pin(torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows])),
        cut=tuple(len(some) > room for some in words),
    )


def _bert_snapshot() -> Path:
    from huggingface_hub import snapshot_download

    # The cache first; it may hold the repository in part, as another program fetched it.
    cached = fetched_folder(BERT)
    if cached is not None and (cached / _VOCABULARY_FILE).is_file():
        return cached
    reason = "the hub gives none"
    try:
        fetched = Path(snapshot_download(BERT, allow_patterns=list(_BERT_FILES)))
        if (fetched / _VOCABULARY_FILE).is_file():
            return fetched
    except Exception as error:  # the client raises what its HTTP library does, which changes with its version
        reason = first_line(error)
    raise ModelError(
        f"Expected to fetch the tokenizer of {BERT}, since this checkpoint is published without one, but: {reason}. "
        f"Copy {', '.join(_BERT_FILES)} of it beside the weights, and give their folder"
    )
