"""The prompts of each task, for models that read one text."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.models.protocol import METHODS, ModelOptions

PLACEHOLDER = "{text}"
"""The part of a template that the question or the hypothesis replaces."""


LONGEST_REASONING = 2048
"""The most tokens of the reasoning that a query asks for, before the answer."""

_FIELD_OF = {
    "prompt-question": "question",
    "prompt-yes-no": "yes_no",
    "prompt-count": "count",
    "prompt-choice": "choice",
    "prompt-entailment": "entailment",
    "prompt-caption": "caption",
}
# Empty, these leave their questions to `prompt-question`.
_MAY_BE_EMPTY = frozenset({"yes_no", "count", "choice"})
_LENGTH_OF = {"longest-answer": "longest_answer", "longest-caption": "longest_caption"}

_LONGEST_NUMBER = 9
"""Digits of a length. What a model takes beside its prompt is for the model to say."""

QUERY_PROMPT_SETTINGS = tuple(_FIELD_OF)
"""The names of ``--vqamt-option NAME=VALUE`` that change the texts of prompts."""

PROMPT_SETTINGS = (*QUERY_PROMPT_SETTINGS, *_LENGTH_OF)
"""The same, and those that change how long answers may be."""

CHAT_SETTINGS = ("system", "body.NAME", "logprobs", "logprob-steps", "min-pixels", "max-pixels")
"""The names of the other settings of a chat (``models/chat_settings.py``); NAME stands for any name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The prompt templates of a model; ``{text}`` is replaced by the question or the hypothesis.

    The form of a question depends on its text alone: queries of one id have one prompt.
    """

    question: str
    """For questions of unknown form."""
    yes_no: str = ""
    """For questions that yes or no answers; "" where ``question`` serves."""
    count: str = ""
    """For questions that a number answers; "" where ``question`` serves."""
    choice: str = ""
    """For questions that name their options; "" where ``question`` serves."""
    entailment: str
    """For hypotheses; "" for a model that is not tested on them."""
    caption: str
    """For descriptions, without ``{text}``."""
    longest_answer: int = 16
    """The most tokens to generate for a question or a hypothesis."""
    longest_caption: int = 80
    """The most tokens to generate for a description."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that there are prompts for, in the order of ``METHODS``."""
        # Captions take none: some models describe a picture that they get alone.
        without = {Task.VQA: not self.question, Task.ENTAILMENT: not self.entailment}
        return tuple(task for task in METHODS if not without.get(task))

    def text(self, item: ModelInput) -> str:
        """The prompt for this input."""
        query = item.query
        if query.task is Task.CAPTIONING:
            return self.caption
        prompt = self.entailment if query.task is Task.ENTAILMENT else self._of_question(query.asked)
        return prompt.replace(PLACEHOLDER, query.text)

    def longest(self, task: Task, *, reasoning: bool | None = None) -> int:
        """The most tokens to generate; ``reasoning`` is the query's."""
        answer = self.longest_caption if task is Task.CAPTIONING else self.longest_answer
        return answer + LONGEST_REASONING if reasoning else answer

    @property
    def digest(self) -> str:
        """A digest of the templates and of the rules that choose among them, for fingerprints."""
        from pytest_vqamt.language.questions.free import VERSION

        # With one prompt for all questions the rules choose nothing, and their version must not move the fingerprint.
        rules = (f"forms {VERSION}",) if self.yes_no or self.count or self.choice else ()
        return digest(*map(str, astuple(self)), *rules)

    def _of_question(self, text: str) -> str:
        from pytest_vqamt.language.questions.free import QuestionForm, form_of

        match form_of(text):
            case QuestionForm.YES_NO:
                return self.yes_no or self.question
            case QuestionForm.COUNT:
                return self.count or self.question
            case QuestionForm.CHOICE:
                return self.choice or self.question
            case QuestionForm.OTHER:
                return self.question


PLAIN_PROMPTS = Prompts(
    question="{text}",
    entailment="Hypothesis: {text} Entailment, neutral or contradiction?",
    caption="Describe the picture.",
    longest_answer=4,
    longest_caption=64,
)
"""For models trained on these very prompts, such as the tiny one."""

INSTRUCTION_PROMPTS = Prompts(
    question="{text}\nAnswer the question using a single word or phrase.",
    yes_no="{text}\nAnswer with yes or no.",
    count="{text}\nAnswer with a number.",
    choice="{text}\nAnswer with one of the options that the question names.",
    entailment=(
        "Hypothesis: {text}\nDoes the picture entail the hypothesis? Answer entailment where it must be true, "
        "contradiction where it cannot be, neutral where the picture does not tell. Answer with one word."
    ),
    caption="Describe the picture in one sentence. Name everything that can be seen.",
)
"""For published models that follow instructions. The first is LLaVA-1.5's own for short answers (Liu et al. 2024)."""


def prompts_from(options: ModelOptions, base: Prompts = INSTRUCTION_PROMPTS) -> Prompts:
    r"""The prompts of ``base``, replaced by the user's settings; ``\n`` in a prompt is a new line.

    Raises:
        OptionError: a prompt lacks ``{text}``; a caption prompt has it, or is empty where it is needed; or a
            length is no whole number.
    """
    texts: dict[str, str] = {}
    lengths: dict[str, int] = {}
    for name, field in _FIELD_OF.items():
        if name in options.settings:
            # A shell, an ini file and a CI variable hold no line breaks easily.
            value = options.settings[name].replace("\\n", "\n")
            given = f"but got {name}={value!r}"
            if field == "caption":
                if PLACEHOLDER in value:
                    raise OptionError(
                        f"Expected a prompt without {PLACEHOLDER}, for nothing is asked beside it, {given}"
                    )
                # An empty prompt asks a model that follows instructions for nothing; BLIP continues it all the same.
                if not value.strip() and base.caption == INSTRUCTION_PROMPTS.caption:
                    raise OptionError(f"Expected a prompt that asks for a description, {given}")
            elif not value.strip() and field in _MAY_BE_EMPTY:
                value = ""
            elif PLACEHOLDER not in value:
                raise OptionError(f"Expected {PLACEHOLDER} in the prompt, where the question is to stand, {given}")
            texts[field] = value
    for name, field in _LENGTH_OF.items():
        if name in options.settings:
            value = options.settings[name]
            if not (value.isascii() and value.isdecimal()) or not 1 <= len(value) <= _LONGEST_NUMBER or int(value) < 1:
                raise OptionError(f"Expected a number of tokens from 1 up, but got {name}={value!r}")
            lengths[field] = int(value)
    return replace(base, **texts, **lengths)  # type: ignore[arg-type]  # mypy takes each name for every field
