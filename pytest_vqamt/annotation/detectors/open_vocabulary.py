"""Open-vocabulary detectors: OWL-ViT, OWLv2 and Grounding DINO look for names or phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.annotation.detectors.detector import LEAST_IOU, DetectedObject, DetectionNetwork, box_within
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.english.nouns import indefinite
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    load_weights,
    locate_checkpoint,
    runtime_for,
)
from pytest_vqamt.models.transformers.inputs import load_image_processor, load_tokenizer
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedModel


VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

ALL_SCORES = -1.0
"""A score that every box is above."""

_DELIMITERS = {"[CLS]": 101, "[SEP]": 102, ".": 1012, "?": 1029}
"""The tokens between phrases, with the ids that transformers' code has fixed."""


class OpenVocabulary:
    """A checkpoint with the names that it looks for."""

    name = "open-vocabulary"

    def __init__(
        self, reader: TextScorer, runtime: Runtime, names: Sequence[str] = (), least_score: float | None = None
    ) -> None:
        """``names`` may be empty for ``ground``; raises ModelError if a name is too long for the checkpoint."""
        self._reader = reader
        self._runtime = runtime
        self._prompts = {reader.prompt(name): name for name in names}
        self._groups = tuple(reader.groups(tuple(self._prompts)))
        self._least_score = reader.least_score if least_score is None else least_score

    @property
    def fingerprint(self) -> str:
        names = digest(*self._prompts)
        return self._runtime.fingerprint(self.name, VERSION, self._reader.files, str(self._least_score), names)

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        """The objects of the picture, each named by its best score."""
        found = []
        for texts in self._groups:
            for reading in self._reader.read(image, texts):
                score, box = max(reading.scores), box_within(reading.corners, image)
                if box is not None and score > self._least_score:
                    name = self._prompts[texts[reading.scores.index(score)]]
                    found.append(DetectedObject(name=name, box=box, score=score, by=self.name))
        return tuple(sorted(found, key=lambda each: -each.score))

    def ground(self, image: Image, phrases: Sequence[str]) -> tuple[tuple[DetectedObject, ...], ...]:
        """The boxes of each phrase, independent of the other phrases, which may cost one pass for each."""
        distinct = tuple(dict.fromkeys(phrases))
        # All phrases in one text would change the boxes of each (Grounding DINO).
        together = (distinct,) if self._reader.reads_each_alone else tuple((phrase,) for phrase in distinct)
        boxes: dict[str, tuple[DetectedObject, ...]] = {}
        for texts in (group for each in together for group in self._reader.groups(each)):
            readings = self._reader.read(image, texts)
            for place, text in enumerate(texts):
                boxes[text] = tuple(self._grounded(image, text, readings, place))
        return tuple(boxes[phrase] for phrase in phrases)

    def _grounded(
        self, image: Image, phrase: str, readings: Sequence[TextScores], place: int
    ) -> Iterator[DetectedObject]:
        """The boxes of a phrase, the best first, without duplicates."""
        taken: list[Box] = []
        for reading in sorted(readings, key=lambda each: -each.scores[place]):
            box, score = box_within(reading.corners, image), reading.scores[place]
            # Networks propose a thing several times.
            if box is not None and score > self._least_score and all(box.iou(other) < LEAST_IOU for other in taken):
                taken.append(box)
                yield DetectedObject(name=phrase, box=box, score=score, by=self.name)


def load(
    argument: str, options: ModelOptions, least_score: float | None = None, names: Sequence[str] = ()
) -> OpenVocabulary:
    """Loads the checkpoint in a folder or on the hub, to look for ``names``.

    Raises:
        ModelError: it cannot be loaded, or a name is too long for it.
    """
    checkpoint = locate_checkpoint(
        argument, default="", kind=OpenVocabulary.name, typed=f"--option {OpenVocabulary.name}="
    )
    runtime = runtime_for(checkpoint, options)
    return OpenVocabulary(_text_scorer(checkpoint, runtime), runtime, names, least_score)


def _text_scorer(checkpoint: Checkpoint, runtime: Runtime) -> TextScorer:
    kind = check_model_type(
        checkpoint, (*Owl.kinds, *GroundingDino.kinds), "boxes= takes DETR and RT-DETR, masks= takes Mask2Former"
    )
    return Owl(checkpoint, runtime) if kind in Owl.kinds else GroundingDino(checkpoint, runtime)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScores:
    """A box with the score of each text."""

    corners: tuple[float, ...]
    """``x0, y0, x1, y1`` in pixels of the picture; perhaps beyond it."""
    scores: tuple[float, ...]
    """From 0 to 1, in the order of the texts."""


class TextScorer(Protocol):
    """A family of checkpoints that scores texts on a picture."""

    @property
    def least_score(self) -> float:
        """The default of ``min-score``."""

    @property
    def reads_each_alone(self) -> bool:
        """True if the scores of a text are independent of the other texts."""

    @property
    def files(self) -> str:
        """The digest of the checkpoint's files."""

    def prompt(self, name: str) -> str:
        """The text that is scored for a name, such as "a photo of a dog"."""

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """The texts in order, in groups for one pass each; raises ModelError if a text is too long, or has no words."""

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[TextScores]:
        """Every proposed box of a picture (RGB), with the score of each text."""


def text_scores(boxes: torch.Tensor, scores: torch.Tensor) -> tuple[TextScores, ...]:
    """The boxes (n, 4) with their scores (n, texts)."""
    pairs = zip(boxes.tolist(), scores.tolist(), strict=True)
    return tuple(TextScores(corners=tuple(corners), scores=tuple(each)) for corners, each in pairs)


class _PhraseNetwork:
    """A checkpoint with its tokenizer; each family sets ``_longest``, the most tokens of a text."""

    _longest: int

    def __init__(self, network: PreTrainedModel, checkpoint: Checkpoint, runtime: Runtime) -> None:
        self._tokenizer = load_tokenizer(checkpoint, int(network.config.text_config.vocab_size))
        self._network = DetectionNetwork(network=network, processor=load_image_processor(checkpoint), runtime=runtime)
        self._folder = checkpoint.folder

    @property
    def files(self) -> str:
        return files_digest(self._folder)


class Owl(_PhraseNetwork):
    """OWL-ViT or OWLv2."""

    kinds = ("owlvit", "owlv2")
    least_score = 0.2
    reads_each_alone = True

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Raises ModelError if a file is missing or of another model."""
        from transformers import Owlv2ForObjectDetection, OwlViTForObjectDetection

        kinds: dict[str, type[PreTrainedModel]] = {"owlvit": OwlViTForObjectDetection, "owlv2": Owlv2ForObjectDetection}
        network = load_weights(kinds[check_model_type(checkpoint, self.kinds)], checkpoint, runtime)
        super().__init__(network, checkpoint, runtime)
        self._longest = int(network.config.text_config.max_position_embeddings)

    def prompt(self, name: str) -> str:
        """As in Minderer et al. (ECCV 2022), who use this and six more of CLIP's."""
        return f"a photo of {indefinite(name)}"

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        for text in texts:
            length = len(self._tokenizer(text)["input_ids"])
            if not text.strip() or length > self._longest:
                raise ModelError(
                    f"Expected a text of 1 to {self._longest} tokens, as many as the model in {self._folder} reads, "
                    f"but got text={text!r} of {length}: say it in fewer words"
                )
        if texts:
            yield texts

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[TextScores]:
        inputs = self._network.pixels(image)
        # To the full length, as its processor in transformers does.
        tokens = self._tokenizer(list(texts), padding="max_length", max_length=self._longest, return_tensors="pt")
        device = inputs["pixel_values"].device
        inputs |= {name: cast("torch.Tensor", tokens[name]).to(device) for name in ("input_ids", "attention_mask")}
        outputs = self._network(inputs)
        # OWLv2 gets the picture in the corner of a square, and its boxes are shares of that; the processor knows.
        return text_scores(self._network.boxes(outputs, image, above=ALL_SCORES)["boxes"], outputs.logits[0].sigmoid())


class GroundingDino(_PhraseNetwork):
    """Grounding DINO: tokens attend to their own phrase alone, but all of the text decides the boxes."""

    kinds = ("grounding-dino", "mm-grounding-dino")
    least_score = 0.3
    reads_each_alone = False

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Raises ModelError if a file is missing or of another model."""
        from transformers import GroundingDinoForObjectDetection, MMGroundingDinoForObjectDetection

        kinds: dict[str, type[PreTrainedModel]] = {
            "grounding-dino": GroundingDinoForObjectDetection,
            "mm-grounding-dino": MMGroundingDinoForObjectDetection,
        }
        network = load_weights(kinds[check_model_type(checkpoint, self.kinds)], checkpoint, runtime)
        super().__init__(network, checkpoint, runtime)
        self._longest = int(network.config.max_text_len)
        numbers = {token: self._tokenizer.convert_tokens_to_ids(token) for token in _DELIMITERS}
        if numbers != _DELIMITERS:
            raise ModelError(
                f"Expected the tokens between phrases to have the numbers {_DELIMITERS!r} in {checkpoint.folder}, as "
                f"BERT's tokenizer has them, but got {numbers!r}: phrases would run into each other"
            )

    def prompt(self, name: str) -> str:
        return name

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        group: list[str] = []
        # Without [CLS] and [SEP].
        room = self._longest - 2
        for text in texts:
            length = len(self._tokens(text))
            # A full stop alone has length 1.
            if not 1 < length <= self._longest - 2:
                raise ModelError(
                    f"Expected a text of 1 to {self._longest - 3} tokens, as many as the model in {self._folder} "
                    f"reads, but got text={text!r} of {length - 1}: say it in fewer words"
                )
            # More names than fit into one text are looked for in several.
            if length > room:
                yield tuple(group)
                group, room = [], self._longest - 2
            group.append(text)
            room -= length
        if group:
            yield tuple(group)

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[TextScores]:
        import torch

        ids, spans = [_DELIMITERS["[CLS]"]], []
        for text in texts:
            tokens = self._tokens(text)
            spans.append((len(ids), len(ids) + len(tokens) - 1))
            ids.extend(tokens)
        inputs = self._network.pixels(image)
        inputs["input_ids"] = torch.tensor([[*ids, _DELIMITERS["[SEP]"]]], device=inputs["pixel_values"].device)
        outputs = self._network(inputs)
        # The mean over a phrase's tokens, as the authors take it where names are scored (demo/test_ap_on_coco.py).
        tokens_fit = outputs.logits[0].sigmoid()
        scores = torch.stack([tokens_fit[:, start:end].mean(dim=1) for start, end in spans], dim=1)
        return text_scores(self._network.boxes(outputs, image, above=ALL_SCORES)["boxes"], scores)

    def _tokens(self, text: str) -> list[int]:
        """The tokens of a text in lower case, with one full stop at its end and no other stops or question marks."""
        plain = " ".join(text.lower().replace(".", " ").replace("?", " ").split())
        ids = cast("list[int]", self._tokenizer(plain, add_special_tokens=False)["input_ids"])
        return [*ids, _DELIMITERS["."]]
