"""Prompts, their tokens and chat templates, and greedy decoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.conversation import Ability, Role, Turn
from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.input_files import parse_json, read_text
from pytest_vqamt.core.spelling import setting
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.language.answers.final import is_part_of_a_mark, open_mark_at_end
from pytest_vqamt.models.chat_settings import (
    REASONING_ARGUMENTS,
    TEMPLATE_ARGUMENTS,
    ChatSettings,
    byte_label,
    token_scores,
)
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line
from pytest_vqamt.models.transformers.inputs import TextTokens, load_tokenizer
from pytest_vqamt.models.transformers.runtime import Runtime, exclusive

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding, GenerationConfig, PreTrainedConfig, PreTrainedTokenizerBase


_KEPT_SETTINGS = ("bos_token_id", "decoder_start_token_id", "forced_bos_token_id", "bad_words_ids", "suppress_tokens")
"""The settings of generation_config.json that change where an answer begins and what it may hold, not how it is
searched."""

_OLDER_TEMPLATE_FILES = ("chat_template.json", "processor_config.json", "tokenizer_config.json")
"""JSON files with a field ``chat_template``, as transformers wrote them before chat_template.jinja."""


PICTURE = None
"""Stands for a picture in a turn."""


class ChatTurn(NamedTuple):
    """A turn of a conversation that a chat template renders."""

    role: str
    """That of a ``Role``."""
    parts: tuple[str | None, ...]
    """Texts and pictures, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The text for one picture, or the last text of a conversation."""

    prompt: str
    """All of it."""
    question: str = ""
    """The part that may be truncated; "" for none."""
    reasoning: bool | None = None
    """True or False switches the model's reasoning; None leaves it as it is."""
    turns: tuple[ChatTurn, ...] = ()
    """The conversation, whose last text ``prompt`` replaces; empty for one picture and one text."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that the model reads."""
        return (self.prompt, *(part for turn in self.turns for part in turn.parts if part is not PICTURE))

    def cut(self, length: int) -> Prompt:
        """The prompt with its question truncated to ``length`` characters."""
        question = self.question[:length].rstrip()
        # Once: the template around the question may hold the same words.
        return replace(self, prompt=self.prompt.replace(self.question, question, 1), question=question)


Steps: TypeAlias = tuple[tuple[tuple[str, float], ...], ...]
"""For each token, candidates with natural log-probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """One generated text for each prompt, without the prompt."""

    texts: tuple[str, ...]
    """With the marks around reasoning, and without other special tokens."""
    cut: tuple[bool, ...]
    """Which questions were truncated."""
    ended: tuple[bool, ...]
    """Which texts came to their end, and not to the most tokens."""
    scores: tuple[tuple[tuple[str, float], ...] | None, ...] | None = None
    """Candidates for the first token of each answer with natural log-probabilities; None where none were asked for."""
    steps: tuple[Steps, ...] | None = None
    """Candidates for each of the first tokens of each text; None where none were asked for."""

    @classmethod
    def together(cls, each: Sequence[Completions]) -> Completions:
        """Joins the completions of several batches."""
        scores = [score for one in each for score in one.scores or ()]
        steps = [step for one in each for step in one.steps or ()]
        return cls(
            texts=tuple(text for one in each for text in one.texts),
            cut=tuple(cut for one in each for cut in one.cut),
            ended=tuple(ended for one in each for ended in one.ended),
            scores=tuple(scores) if scores else None,
            steps=tuple(steps) if steps else None,
        )


class StepScores:
    """A logits processor of ``generate`` that keeps the likeliest tokens of each step."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._steps: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __call__(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Records the likeliest tokens of scores (inputs, words), and returns the scores unchanged."""
        # In 32 bits: in 16 the probabilities of a vocabulary do not add up to 1.
        found = scores.float().log_softmax(dim=-1).topk(min(self._count, scores.shape[-1]), dim=-1)
        self._steps.append((found.indices.cpu(), found.values.cpu()))
        return scores

    def of_input(self, place: int) -> list[list[tuple[int, float]]]:
        """For each step, the likeliest tokens of one input with natural log-probabilities; suppressed ones left out."""
        return [
            [(int(word), float(score)) for word, score in zip(words[place], scores[place], strict=True) if score > -1e9]
            for words, scores in self._steps
        ]


def tokenize_prompts(
    prompts: Sequence[Prompt],
    tokenizer: PreTrainedTokenizerBase,
    runtime: Runtime,
    *,
    written: Callable[[int, Prompt], str] = lambda _place, prompt: prompt.prompt,
    adds_special_tokens: bool = True,
    pad_left: bool = True,
    room: int | None = None,
) -> TextTokens:
    """Tokenizes the prompts into pinned memory, padded to one length, with questions truncated to fit.

    ``written`` makes the model's whole text from an index and a prompt. Decoders, which continue the prompt, need
    padding on the left; encoders count positions from there. ``room`` is None for no limit.

    Raises:
        DataError: a prompt is too long however short its question.
    """

    def tokens(some: Sequence[Prompt], places: Sequence[int], *, padding: bool) -> BatchEncoding:
        texts = [written(place, each) for each, place in zip(some, places, strict=True)]
        with exclusive(tokenizer):
            found: BatchEncoding = tokenizer(
                texts,
                padding=padding,
                padding_side="left" if pad_left else "right",
                truncation=False,  # a tokenizer.json may say otherwise, and would cut off the end in silence
                add_special_tokens=adds_special_tokens,
                return_tensors="pt" if padding else None,
            )
        return found

    every = range(len(prompts))
    # All at once: only where the longest is too long each is measured and cut.
    whole = tokens(prompts, every, padding=True)
    cut = [False] * len(prompts)
    if room is not None and whole["input_ids"].shape[1] > room:

        def length(place: int, each: Prompt) -> int:
            return len(tokens([each], [place], padding=False)["input_ids"][0])

        after = [fit_prompt(each, room, partial(length, place)) for place, each in enumerate(prompts)]
        cut = [one != other for one, other in zip(after, prompts, strict=True)]
        whole = tokens(after, every, padding=True)
    return TextTokens(
        ids=runtime.pin(whole["input_ids"]), attended=runtime.pin(whole["attention_mask"]), cut=tuple(cut)
    )


def load_prompt_tokenizer(
    checkpoint: Checkpoint, config: PreTrainedConfig, rows: Callable[[], int]
) -> PreTrainedTokenizerBase:
    """The tokenizer of the checkpoint, with a padding token; ``rows`` counts the model's table of input words.

    Raises:
        ModelError: its files are missing, damaged, or of another model.
    """
    # Llama 3.2 Vision reads eight tokens more than it can say, that for a picture among them, beyond its vocab_size.
    tokenizer = load_tokenizer(checkpoint, int(config.get_text_config().vocab_size), most=rows)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def context_length(config: PreTrainedConfig) -> int | None:
    """The most tokens that the language model takes; None without numbered positions."""
    window: object = getattr(config.get_text_config(), "max_position_embeddings", None)
    # Relative positions, such as T5's, have no bound.
    return window if isinstance(window, int) else None


def fit_prompt(prompt: Prompt, room: int, length: Callable[[Prompt], int]) -> Prompt:
    """The prompt with its question truncated to fit into ``room`` tokens.

    Raises:
        DataError: there is too little room even without the question.
    """
    excess = length(prompt) - room
    while excess > 0:
        if not prompt.question:
            raise DataError(
                f"Expected a picture and a prompt of at most {room} tokens, which is what the model takes beside "
                f"its answer, but the prompt {shortened(prompt.prompt)} gives {excess} more with no question at all: "
                "give a shorter prompt or a smaller longest-answer"
            )
        # A token is one character at least, so this cuts too little rather than too much.
        prompt = prompt.cut(max(0, len(prompt.question) - excess))
        excess = length(prompt) - room
    return prompt


class _GenerationModel(Protocol):
    generation_config: GenerationConfig


class GreedyDecoding:
    """Generation settings of one checkpoint: where completions begin and end, and suppressed tokens.

    Temperatures, beams and penalties of ``generation_config.json`` are ignored: consistency is measured on the
    likeliest token, as for every other model here.
    """

    def __init__(
        self,
        model: _GenerationModel,
        tokenizer: PreTrainedTokenizerBase,
        checkpoint: Checkpoint,
        *around: _GenerationModel,
    ) -> None:
        """Reads the settings. End tokens of the tokenizer, and of models ``around`` this one, end a completion too.

        Raises:
            ModelError: no end token is defined, or the file that defines it is damaged.
        """
        # Before what transformers made of it is read: from a damaged file it makes the defaults.
        _check_generation_config(checkpoint)
        saved = model.generation_config
        ends = [end for each in (model, *around) for end in _end_tokens(each.generation_config)]
        if isinstance(tokenizer.eos_token_id, int):
            # Converted checkpoints often have it in the tokenizer alone.
            ends.append(tokenizer.eos_token_id)
        if not ends:
            raise ModelError(
                "Expected eos_token_id in generation_config.json or eos_token in tokenizer_config.json of "
                f"{checkpoint.folder}, but there is neither, so no answer would ever end: copy the files again"
            )
        self._tokenizer = tokenizer
        self._ends = list(dict.fromkeys(ends))
        special = {number: token for number, token in tokenizer.added_tokens_decoder.items() if token.special}
        # Without its marks a model's reasoning would be taken for its answer.
        self._left_out = {number for number, token in special.items() if not is_part_of_a_mark(str(token))}
        self._keeps_marks = len(self._left_out) < len(special)
        self._settings = {name: getattr(saved, name) for name in _KEPT_SETTINGS if getattr(saved, name) is not None}
        pad = tokenizer.pad_token_id
        # Some tokenizers have no padding token; what comes after the end is cut off, whatever it is.
        self._settings |= {"eos_token_id": self._ends, "pad_token_id": self._ends[0] if pad is None else pad}
        # generate() fills settings that it is not given from here: temperatures and beams must be gone from it.
        model.generation_config = self.generation_config_for(1)

    def generation_config_for(self, max_tokens: int) -> GenerationConfig:
        """The settings for completions of at most so many tokens."""
        from transformers import GenerationConfig

        return GenerationConfig(  # type: ignore[no-untyped-call]  # transformers does not annotate it
            max_new_tokens=max_tokens, do_sample=False, num_beams=1, **self._settings
        )

    def texts(self, generated: torch.Tensor) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        """The texts of int64 (answers, tokens), without prompts, up to the end token; True for each that has one."""
        rows: list[list[int]] = generated.tolist()
        until = [next((place for place, token in enumerate(row) if token in self._ends), None) for row in rows]
        # A batch is generated until its longest answer ends: the others go on with padding.
        said = [row[:end] for row, end in zip(rows, until, strict=True)]
        # Without it the decoder drops "<think>" as a special token, and thoughts would be read as the answer.
        if self._keeps_marks:
            said = [[token for token in row if token not in self._left_out] for row in said]
        with exclusive(self._tokenizer):
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=not self._keeps_marks)
        return tuple(text.strip() for text in texts), tuple(end is not None for end in until)

    def scores(self, generated: torch.Tensor, steps: StepScores) -> tuple[tuple[tuple[str, float], ...] | None, ...]:
        """The candidates for the first token of each answer in int64 (answers, tokens), without prompts."""
        return tuple(self._scores(row, steps.of_input(place)) for place, row in enumerate(generated.tolist()))

    def steps(self, generated: torch.Tensor, steps: StepScores, count: int) -> tuple[Steps, ...]:
        """The candidates for each of the first ``count`` tokens of each answer, those of its end among them."""
        with exclusive(self._tokenizer):
            return tuple(
                tuple(
                    tuple((self._label(token), score) for token, score in step)
                    for step in steps.of_input(place)[: min(count, len(self._ended(row)) + 1)]
                )
                for place, row in enumerate(generated.tolist())
            )

    def _label(self, token: int) -> str:
        """The text of a token; of a part of a character, which has none, its bytes."""
        text = str(self._tokenizer.decode([token]))
        if "\ufffd" not in text:
            return text
        name = str(self._tokenizer.convert_ids_to_tokens(token))
        codes = [code for letter in name if (code := _byte_codes().get(letter)) is not None]
        # SentencePiece names them so itself: "<0xE4>".
        return name if name.startswith("<0x") or len(codes) < len(name) else byte_label(codes)

    def _ended(self, row: list[int]) -> list[int]:
        """The tokens before the end."""
        return row[: next((place for place, token in enumerate(row) if token in self._ends), None)]

    def _scores(self, row: list[int], steps: list[list[tuple[int, float]]]) -> tuple[tuple[str, float], ...] | None:
        ended = self._ended(row)

        def decode(tokens: list[int]) -> str:
            with exclusive(self._tokenizer):
                return str(self._tokenizer.decode(tokens, skip_special_tokens=True))

        return token_scores(
            decode(ended),
            len(ended),
            lambda count: len(decode(ended[:count])),
            lambda place: [(decode([token]), score) for token, score in steps[place]],
        )


@cache
def _byte_codes() -> Mapping[str, int]:
    """The bytes by the letters that stand for them in the vocabularies of GPT-2 and its like."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters: Mapping[int, str] = bytes_to_unicode()  # type: ignore[no-untyped-call]
    return {letter: code for code, letter in letters.items()}


def _check_generation_config(checkpoint: Checkpoint) -> None:
    """Raises ModelError for a damaged file, which transformers ignores in silence."""
    file = checkpoint.folder / "generation_config.json"
    try:
        if file.is_file():
            parse_json(read_text(file))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"Expected JSON in {file}, which says where an answer ends, but it cannot be read ({first_line(error)}): "
            "copy the file again"
        ) from error


def _end_tokens(saved: GenerationConfig) -> list[int]:
    ends: object = saved.eos_token_id
    return list(ends) if isinstance(ends, list | tuple) else [ends] if isinstance(ends, int) else []


def chat_turns(turns: Iterable[Turn]) -> tuple[ChatTurn, ...]:
    """The turns of a query, without its pictures."""
    return tuple(
        ChatTurn(turn.role.value, tuple(part if isinstance(part, str) else PICTURE for part in turn.parts))
        for turn in turns
    )


_ONE_PICTURE = (ChatTurn(Role.USER.value, (PICTURE, "")),)
"""What is put to a model that is shown one picture; the text is replaced."""

# Words that no template says by itself.
_BEFORE, _REPLY, _QUESTION, _RULE = "Who sits there?", "A cat sits there.", "What sits here?", "Be very brief."


def _user(*parts: str | None) -> ChatTurn:
    return ChatTurn(Role.USER.value, parts)


_REPLIED = ChatTurn(Role.ASSISTANT.value, (_REPLY,))
_ANSWERED = (_user(PICTURE, _BEFORE), _REPLIED, _user(_QUESTION))
_RULED = (ChatTurn(Role.SYSTEM.value, (_RULE,)), _user(PICTURE, _QUESTION))

_TRIALS: Mapping[Ability, tuple[tuple[ChatTurn, ...], ...]] = {
    Ability.PICTURES: ((_user(PICTURE, PICTURE, _QUESTION),),),
    Ability.INTERLEAVED: (
        (_user(_BEFORE, PICTURE, _QUESTION),),
        (_user(_QUESTION, PICTURE),),
        (_user(PICTURE, _BEFORE, PICTURE, _QUESTION),),
    ),
    Ability.TURNS: (
        _ANSWERED,
        (_user(_BEFORE), _REPLIED, _user(PICTURE, _QUESTION)),
        (_user(PICTURE, _BEFORE), _REPLIED, _user(PICTURE, _QUESTION)),
    ),
    Ability.SYSTEM: (_RULED,),
}
"""Conversations that a template with the ability renders whole and in order."""

_LISTS = ("{'type': 'text'", '{"type": "text"')
"""The beginning of a list of parts, written as it is."""


TWO_PICTURES = Prompt(prompt=_QUESTION, turns=_TRIALS[Ability.PICTURES][0])
"""A prompt to try a model with."""


def trial_conversations(ability: Ability, *, several: bool) -> list[Prompt]:
    """Conversations that show if the ability is there; without ``several`` those of one picture."""
    return [Prompt(prompt=_QUESTION, turns=turns) for turns in _TRIALS[ability] if several or _pictures(turns) == 1]


class ChatTemplate:
    """Renders a conversation and the beginning of the reply as in the model's training.

    Attributes:
        takes: what a conversation may have for the template to render it whole and in order.
        begins: True if the template includes the token that begins a text, so that the tokenizer must not add it.
        switches_reasoning: True if it takes an argument that switches the model's reasoning.
        reasons: True if the model reasons where nothing switches it.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        tokenizer: PreTrainedTokenizerBase,
        image_marker: str | None,
        chat: ChatSettings,
    ) -> None:
        """Finds the template, and tries it; ``image_marker`` is the text of a picture in a prompt, None if unknown.

        Raises:
            ModelError: there is no template, or it has no place for a picture and a text.
        """
        template = read_chat_template(checkpoint.folder)
        if template is None:
            raise ModelError(
                f"Expected a chat template in {checkpoint.folder}, but there is none, so nothing says how a question "
                "is put to the model: add its chat_template.jinja, or take a checkpoint that was trained for chat"
            )
        self._tokenizer, self._template, self._system = tokenizer, template, chat.system
        arguments = chat.fields.get(TEMPLATE_ARGUMENTS, {})
        self._arguments: Mapping[str, Json] = arguments if isinstance(arguments, dict) else {}
        self._switch = next((name for name in REASONING_ARGUMENTS if name in template_variables(template)), "")
        self.switches_reasoning = bool(self._switch)
        self._mark = image_marker
        self._in_strings: frozenset[str] = frozenset()
        self._choose_forms()
        try:
            tried = self.write("what?")
        except Exception as error:  # a template is a program, and raises what it likes
            raise ModelError(
                f"Expected a chat template for pictures in {checkpoint.folder}, but: {first_line(error)}"
            ) from error
        # Templates of text models leave the picture out in silence.
        if "what?" not in tried or (image_marker is not None and tried.count(image_marker) != 1):
            raise ModelError(
                f"Expected the chat template in {checkpoint.folder} to have one place for a text and one for a picture "
                f"({image_marker}), but it gives {tried!r}: it belongs to another model, or takes no pictures"
            )
        # Some templates have no system role, and drop the message.
        if self._system and self._system not in tried:
            raise ModelError(
                f"Expected the chat template in {checkpoint.folder} to have a place for a system message, but it "
                f"leaves it out: leave {setting('system')} off, and say it in the prompts"
            )
        first = tokenizer.bos_token
        self.begins = bool(first) and tried.startswith(str(first))
        # It opens a thought by itself, or writes the same by default as with reasoning switched on.
        self.reasons = bool(open_mark_at_end(tried)) or (
            self.switches_reasoning and tried == self.write("what?", True) != self.write("what?", False)
        )
        self.takes = self._find_abilities()

    def opening(self, reasoning: bool | None) -> str:
        """The mark that begins the reasoning, where the prompt ends with it and the reply goes on from there."""
        return open_mark_at_end(self.write("what?", reasoning))

    def write(self, text: str, reasoning: bool | None = None, turns: Sequence[ChatTurn] = ()) -> str:
        """Renders the prompt of a picture and ``text``; ``reasoning`` switches the model's reasoning, unless None.

        Args:
            text: the user's last text.
            reasoning: see above.
            turns: a conversation in place of the one picture, whose last text is replaced. Its system message
                replaces the user's setting.

        Raises:
            DataError: the template does not render this conversation with all its pictures.
        """
        if not turns:
            return self._rendered(text, reasoning, _ONE_PICTURE)
        try:
            written = self._rendered(text, reasoning, turns)
        except Exception as error:  # a template is a program: Gemma's refuses two turns of the user in a row
            raise DataError(
                f"Expected a conversation that the model's chat template renders, but: {first_line(error)}"
            ) from error
        pictures = _pictures(turns)
        # A mark too many, as in a text with such a word, would shift all pictures behind it, and nothing would fail.
        if self._mark and written.count(self._mark) != pictures:
            raise DataError(
                f"Expected a conversation with {self._mark} for each of {count_noun(pictures, 'picture')} and nowhere "
                f"else, but the chat template renders {shortened(written)}"
            )
        return written

    def _rendered(self, text: str, reasoning: bool | None, turns: Sequence[ChatTurn]) -> str:
        # A query for reasoning only comes to a model that switches it.
        switch = {} if reasoning is None else {self._switch: reasoning}
        messages = [self._message(turn) for turn in _with_last_text(turns, text)]
        if self._system and turns[0].role != Role.SYSTEM:
            messages.insert(0, self._message(ChatTurn(Role.SYSTEM.value, (self._system,))))
        return str(
            self._tokenizer.apply_chat_template(
                messages,  # type: ignore[arg-type]  # declared for texts without pictures
                chat_template=self._template,
                add_generation_prompt=True,
                tokenize=False,
                **{**self._arguments, **switch},  # type: ignore[arg-type]  # they are the template's
            )
        )

    def _message(self, turn: ChatTurn) -> dict[str, object]:
        content: object = [
            {"type": "image"} if part is PICTURE else {"type": "text", "text": part} for part in turn.parts
        ]
        if turn.role in self._in_strings:
            content = "\n".join(part for part in turn.parts if part is not PICTURE)
        return {"role": turn.role, "content": content}

    def _choose_forms(self) -> None:
        """Finds the roles whose content the template takes as a string and not as a list of parts.

        That of Pixtral reads the parts of the user, and adds the content of the others to a text.
        """
        # The system message first: a user's stands before every other trial.
        for role, turns in ((Role.SYSTEM, _RULED), (Role.ASSISTANT, _ANSWERED)):
            before = self._in_strings
            if not self._renders(turns):
                self._in_strings = before | {role.value}
                if not self._renders(turns):
                    self._in_strings = before

    def _find_abilities(self) -> frozenset[Ability]:
        # Without its mark nothing shows where a picture is put.
        if not self._mark:
            return frozenset()
        several = all(self._renders(each.turns) for each in trial_conversations(Ability.PICTURES, several=True))
        return frozenset(
            ability
            for ability in Ability
            if (several or ability is not Ability.PICTURES)
            and all(self._renders(each.turns) for each in trial_conversations(ability, several=several))
        )

    def _renders(self, turns: Sequence[ChatTurn]) -> bool:
        """True if all parts of a trial conversation are rendered in their order."""
        try:
            written = self._rendered(_QUESTION, None, turns)
        except Exception:  # a template is a program, and raises what it likes
            return False
        wanted = [self._mark if part is PICTURE else part for turn in turns for part in turn.parts]
        in_order = ".*".join(re.escape(each) for each in wanted if each)
        # Added to a text, a list is rendered as Python writes it.
        if not re.search(in_order, written, re.DOTALL) or any(each in written for each in _LISTS):
            return False
        return not self._mark or written.count(self._mark) == _pictures(turns)


def _pictures(turns: Iterable[ChatTurn]) -> int:
    return sum(part is PICTURE for turn in turns for part in turn.parts)


def _with_last_text(turns: Sequence[ChatTurn], text: str) -> list[ChatTurn]:
    """The turns with ``text`` in place of the last text of the last turn."""
    last = turns[-1]
    place = max(number for number, part in enumerate(last.parts) if part is not PICTURE)
    return [*turns[:-1], last._replace(parts=(*last.parts[:place], text, *last.parts[place + 1 :]))]


def template_variables(template: str) -> frozenset[str]:
    """The variables that a chat template takes; empty for a template that cannot be parsed."""
    from jinja2 import TemplateError, meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # The environment of transformers: a template is a program of strangers.
    environment = ImmutableSandboxedEnvironment(extensions=["jinja2.ext.loopcontrols"])
    without_marks = re.sub(r"\{%-?\s*(?:end)?generation\s*-?%\}", "", template)  # transformers' own
    try:
        return frozenset(meta.find_undeclared_variables(environment.parse(without_marks)))
    # ChatTemplate renders it next, and reports what is wrong.
    except TemplateError:
        return frozenset()


def read_chat_template(folder: Path) -> str | None:
    """Reads the chat template from its own file, or from a file of older versions of transformers.

    Raises:
        ModelError: such a file is damaged.
    """
    file = folder / "chat_template.jinja"
    if file.is_file():
        try:
            return read_text(file)
        except OSError as error:
            raise ModelError(f"Expected a template in {file}, but: {first_line(error)}; copy the file again") from error
    return next(
        (found for name in _OLDER_TEMPLATE_FILES if (found := _template_in_json(folder / name)) is not None), None
    )


def _template_in_json(file: Path) -> str | None:
    if not file.is_file():
        return None
    try:
        held: object = parse_json(read_text(file))
    except (OSError, ValueError) as error:
        raise ModelError(f"Expected JSON in {file}, but: {first_line(error)}; copy the file again") from error
    template = held.get("chat_template") if isinstance(held, dict) else None
    if isinstance(template, list):  # several, by name
        template = next(
            (each["template"] for each in template if isinstance(each, dict) and each.get("name") == "default"), None
        )
    return template if isinstance(template, str) else None
