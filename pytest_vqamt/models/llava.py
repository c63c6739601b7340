"""LLaVA and its relatives: a checkpoint directory of ``LlavaForConditionalGeneration``, whatever its two halves are.

It answers questions, judges hypotheses and describes pictures, each by a prompt in the checkpoint's own chat template.
torch and transformers are imported when a model is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.hashing import digest
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import INSTRUCTED, Prompts

if TYPE_CHECKING:
    import torch
    from transformers import LlavaForConditionalGeneration, LlavaProcessor

VERSION = 1
"""Goes up when answers change for the same weights and packages."""

_FEWEST_KNOWN = 0.9
"""A tokenizer knows at least so much of the vocabulary; models round theirs up to a multiple of 64."""


class Llava:
    """One checkpoint. Every distinct picture of a batch is encoded once; decoding is greedy."""

    batch_size = 64

    def __init__(
        self, folder: Path, options: ModelOptions, prompts: Prompts = INSTRUCTED, threads: int | None = None
    ) -> None:
        """Loads all of the checkpoint in ``folder``.

        Args:
            folder: the checkpoint directory.
            options: device and precision.
            prompts: how each task is put to it.
            threads: how many threads of torch may answer; None leaves it to torch. A small model is best off with one:
                several would wait for each other in every operation.

        Raises:
            ModelError: a file is missing or of another model, so that weights or words would be made up in silence.
        """
        import torch

        self._folder = folder
        self._prompts = prompts
        self._threads = threads
        device = options.device
        if device == "auto":
            device = "cuda:0" if torch.cuda.is_available() else "cpu"
        self._dtype = options.dtype or ("float32" if device == "cpu" else "auto")
        with _quiet():
            self._model = _load_model(folder, self._dtype).to(device).eval()  # type: ignore[arg-type]  # as torch takes it
            self._processor = _load_processor(folder, self._model)
        self._device = torch.device(device)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the prompts and what computes the answers."""
        import torch
        import transformers

        prompts = self._prompts
        longest = f"{prompts.longest_answer} {prompts.longest_caption}"
        settings = digest(self._dtype, prompts.question, prompts.entailment, prompts.caption, longest)
        return (
            f"llava-{VERSION} files={_digest_of(self._folder)} settings={settings} "
            f"torch=={torch.__version__} transformers=={transformers.__version__}"
        )

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A word or a phrase for each question."""
        texts = [self._prompts.question.replace("{text}", asked.text) for asked in batch]
        return self._generate(batch, texts, self._prompts.longest_answer)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """entailment, neutral or contradiction for each hypothesis."""
        texts = [self._prompts.entailment.replace("{text}", asked.text) for asked in batch]
        return self._generate(batch, texts, self._prompts.longest_answer)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A description of each picture."""
        return self._generate(batch, [self._prompts.caption] * len(batch), self._prompts.longest_caption)

    def _generate(self, batch: Sequence[ModelInput], texts: Sequence[str], longest: int) -> tuple[Answer, ...]:
        import torch

        if not batch:
            return ()
        with torch.inference_mode(), _quiet(), _on_threads(self._threads):
            features, which = self._features(batch)
            ids, attended = self._tokens(texts, features.shape[1])
            embedded = self._model.get_input_embeddings()(ids)
            pictures = features[which].to(embedded.dtype)
            marks = (ids == self._model.config.image_token_id).unsqueeze(-1)
            generated = self._model.generate(
                inputs_embeds=embedded.masked_scatter(marks, pictures),
                attention_mask=attended,
                max_new_tokens=longest,
                do_sample=False,
                num_beams=1,
            )
        said = self._processor.tokenizer.batch_decode(generated, skip_special_tokens=True)
        return tuple(Answer(text.strip()) for text in said)

    def _features(self, batch: Sequence[ModelInput]) -> tuple[torch.Tensor, torch.Tensor]:
        """What the encoder makes of each distinct picture (pictures, tokens, width), and which one each input has."""
        import torch

        place: dict[str, int] = {}
        which = [place.setdefault(asked.query.picture.digest, len(place)) for asked in batch]
        first = {number: asked for asked, number in zip(reversed(batch), reversed(which), strict=True)}
        images = [first[number].image for number in range(len(place))]
        pixels = self._processor.image_processor(images, return_tensors="pt")["pixel_values"]
        found = self._model.get_image_features(pixel_values=pixels.to(self._device, self._model.dtype))
        return torch.stack(tuple(found.pooler_output)), torch.tensor(which, device=self._device)

    def _tokens(self, texts: Sequence[str], picture_tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The prompts' tokens, padded on the left, and which of them count."""
        mark = self._processor.image_token
        prompts = [self._prompt(text).replace(mark, mark * picture_tokens) for text in texts]
        tokens = self._processor.tokenizer(prompts, padding=True, padding_side="left", return_tensors="pt")
        return tokens["input_ids"].to(self._device), tokens["attention_mask"].to(self._device)

    def _prompt(self, text: str) -> str:
        conversation = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
        return str(
            self._processor.apply_chat_template(
                conversation,  # type: ignore[arg-type]  # declared for texts without pictures
                add_generation_prompt=True,
            )
        )


def _load_model(folder: Path, dtype: str) -> LlavaForConditionalGeneration:
    from transformers import LlavaForConditionalGeneration

    if not (folder / "config.json").is_file():
        raise ModelError(f"Expected a checkpoint directory with config.json, but got folder={str(folder)!r}")
    model: LlavaForConditionalGeneration
    told: dict[str, set[object]]
    try:
        model, told = LlavaForConditionalGeneration.from_pretrained(  # type: ignore[misc]  # declared without the info
            folder, dtype=dtype, output_loading_info=True, local_files_only=True
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise ModelError(f"Expected a whole LLaVA checkpoint in {folder}, but: {_first_line(error)}") from error
    for kind in ("missing_keys", "mismatched_keys"):
        wrong = sorted(str(key) for key in told[kind])
        if wrong:
            raise ModelError(
                f"Expected weights for all of the model in {folder}, but got {kind}={wrong[:3]!r} "
                f"({len(wrong)} in all), which would be made up at random: take the whole checkpoint"
            )
    return model


def _load_processor(folder: Path, model: LlavaForConditionalGeneration) -> LlavaProcessor:
    from transformers import AutoImageProcessor, LlavaProcessor

    try:
        processor = LlavaProcessor.from_pretrained(folder, local_files_only=True)
        # Resizing differs a little between PIL and torchvision, so it is PIL whether torchvision is there or not.
        processor.image_processor = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]  # not annotated
            folder, backend="pil", local_files_only=True
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
        raise ModelError(
            f"Expected the processor and tokenizer files of a LLaVA checkpoint in {folder}, but: {_first_line(error)}"
        ) from error
    known, rows = len(processor.tokenizer), int(model.config.get_text_config().vocab_size)
    if not _FEWEST_KNOWN * rows <= known <= rows:
        raise ModelError(
            f"Expected a tokenizer for the {rows} words that the model in {folder} has, but got one of {known}: "
            "tokenizer files are missing or belong to another model"
        )
    if processor.chat_template is None:
        raise ModelError(f"Expected a chat template in {folder}, but there is none: add its chat_template.jinja")
    return processor


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _digest_of(folder: Path) -> str:
    """SHA-256 over names and contents of all files that a checkpoint is read from."""
    total = sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in (".safetensors", ".json", ".jinja", ".model"):
            total.update(f"{file.name}\0".encode())
            with file.open("rb") as opened:
                while block := opened.read(1 << 20):
                    total.update(block)
    return total.hexdigest()[:16]


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no advice of transformers on the user's terminal; its settings afterwards as before."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers does not annotate it
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above


@contextmanager
def _on_threads(count: int | None) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
