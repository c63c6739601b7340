"""Checkpoints that read a picture in the place of a token that stands for it, which is most of them.

Each picture is encoded once for all that is said about it. How many tokens it takes is how many its encoding has, so
that no formula of a processor is needed, and nothing of torchvision, which the processors of several kinds want for
videos.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from reprlib import repr as shortened
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.finite_scores import check_step
from pytest_vqamt.models.hf.encoder import Encoder, Seen
from pytest_vqamt.models.hf.pictures import Pictures, Pixels
from pytest_vqamt.models.hf.stopping import Stopping
from pytest_vqamt.models.prompts import INSTRUCTED
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.feature_cache import Shown
from pytest_vqamt.models.transformers.prompted.base import Heard, Said, load_config, load_model, setting
from pytest_vqamt.models.transformers.prompted.text import Tokens, load_words, read, window_of
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


class Marked:
    """A checkpoint of the class ``cls`` of transformers. Kinds differ in the methods that say so."""

    cls = ""
    prompts = INSTRUCTED

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads it, the small files first.

        Raises:
            ModelError: a file is missing, damaged, or of another model.
        """
        self.config = load_config(checkpoint)
        self.tokenizer = load_words(checkpoint, self.config)
        self.pictures = self.reader(checkpoint, runtime)
        self.image_id = setting(self.config, "image_token_id")
        self.image_word = self._word(self.image_id, checkpoint)
        self.learn(checkpoint)
        self.model = load_model(self.cls, checkpoint, runtime)
        self.encoder = Encoder(self.pictures, self.model, runtime, self.parts)
        self._stopping = Stopping(self.model, self.tokenizer, checkpoint)
        self._runtime = runtime
        self._window = window_of(self.config)

    def learn(self, checkpoint: Checkpoint) -> None:
        """What else a kind reads of the checkpoint before its weights."""

    def reader(self, checkpoint: Checkpoint, runtime: Runtime) -> Pictures:
        """What makes pictures ready for the encoder."""
        return Pictures(checkpoint, runtime)

    @property
    def mark(self) -> str:
        """What stands for the picture in a prompt."""
        return self.image_word

    @property
    def special(self) -> bool:
        """Whether the tokenizer is to add the tokens that begin and end a text."""
        return True

    def prompt(self, text: str) -> str:
        """All that the model reads, with one mark for the picture."""
        raise NotImplementedError

    def parts(self, _pixels: Pixels) -> int:
        """In how many parts a picture is encoded, where the encoder gives all in one tensor."""
        return 1

    def block(self, _told: Pixels, length: int) -> str:
        """What stands in place of the mark for a picture whose encoding has so many tokens."""
        return self.image_word * length

    def further(self, _tokens: Tokens, _told: Sequence[Pixels]) -> Mapping[str, torch.Tensor]:
        """What else the model needs to be told, of each prompt's picture."""
        return {}

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Said], longest: int) -> Callable[[], Heard]:
        """How many tokens a picture takes is told by its encoding, or by that of another of its form."""
        self._check(said)
        pictures = self.encoder.memory.ready(shown)
        known = [self._length(pictures, name) for name in pictures.names]
        tokens = None
        if all(known):
            told = [(pictures.kept.get(name) or pictures.ready[name]).told for name in pictures.names]
            tokens = self._tokens(said, self._blocks(told, known, pictures.which), longest)
        return partial(self._speak, pictures, said, longest, known, tokens)

    def give_up(self) -> bool:
        return self.encoder.memory.give_up()

    def _speak(
        self,
        pictures: Shown[Pixels, Seen],
        said: Sequence[Said],
        longest: int,
        known: Sequence[int],
        tokens: Tokens | None,
    ) -> Heard:
        seen = self.encoder.memory.of(pictures)
        of_each = dict(zip(pictures.which, seen, strict=True))
        distinct = [of_each[place] for place in range(len(pictures.names))]
        lengths = [each.length for each in distinct]
        if tokens is None or lengths != known:
            blocks = self._blocks([each.told for each in distinct], lengths, pictures.which)
            tokens = self._tokens(said, blocks, longest)
        tokens = tokens.on(self._runtime)
        generated = self.model.generate(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            mm_encoder_outputs={"image": self.encoder.together(seen)},
            generation_config=self._stopping.after(longest),
            logits_processor=[check_step],
            **self.further(tokens, [each.told for each in seen]),
        )
        before = 1 if self.config.is_encoder_decoder else tokens.ids.shape[1]
        return Heard(texts=self._stopping.texts(generated[:, before:]), cut=tokens.cut)

    def _length(self, pictures: Shown[Pixels, Seen], name: str) -> int:
        """How many tokens a picture takes; 0 where nobody knows yet."""
        kept = pictures.kept.get(name)
        return self.encoder.length(pictures.ready[name]) if kept is None else kept.length

    def _blocks(self, told: Sequence[Pixels], lengths: Sequence[int], which: Sequence[int]) -> list[str]:
        """What stands for the picture of each prompt."""
        blocks = [self.block(each, length) for each, length in zip(told, lengths, strict=True)]
        return [blocks[place] for place in which]

    def _check(self, said: Sequence[Said]) -> None:
        for each in said:
            if self.mark in each.prompt or self.image_word in each.prompt:
                raise DataError(
                    f"Expected a text without {self.image_word}, which stands for a picture to this model, but got "
                    f"text={shortened(each.prompt)}"
                )

    def _tokens(self, said: Sequence[Said], blocks: Sequence[str], longest: int) -> Tokens:
        room = self._window
        if room is not None and not self.config.is_encoder_decoder:
            room -= longest
        return read(
            said,
            self.tokenizer,
            self._runtime,
            written=lambda place, prompt: self.prompt(prompt).replace(self.mark, blocks[place]),
            special=self.special,
            before=not self.config.is_encoder_decoder,
            room=room,
        )

    def _word(self, number: int, checkpoint: Checkpoint) -> str:
        """The token of a number that config.json gives.

        Raises:
            ModelError: there is no such token, or it is one that may come up in a text.
        """
        added = self.tokenizer.added_tokens_decoder.get(number)
        if added is None:
            raise ModelError(
                f"Expected the tokenizer in {checkpoint.folder} to know the token that stands for a picture, number "
                f"{number} in config.json, but it has {self.tokenizer.convert_ids_to_tokens(number)!r} there, which is "
                "a word or nothing: its files are incomplete (tokenizer.json, added_tokens.json) or of another model"
            )
        return str(added.content)
