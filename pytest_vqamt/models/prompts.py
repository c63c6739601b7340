"""How each task is put to a model that reads one text."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.language.questions.form import VERSION, QuestionForm, form_of
from pytest_vqamt.models.base import ModelOptions

PLACE = "{text}"
"""What stands for the question or the hypothesis in a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """What is said to the model; ``{text}`` stands for the question or the hypothesis.

    The form of a question is told from its text alone: queries of one id have one prompt.

    Attributes:
        question: for questions of which no more is known.
        yes_no, count, choice: for questions to be answered by yes or no, by a number, and by one of what they offer;
            empty where ``question`` serves.
        entailment, caption: for hypotheses, and for descriptions.
        longest_answer, longest_caption: how many tokens may be generated at most.
    """

    question: str
    yes_no: str = ""
    count: str = ""
    choice: str = ""
    entailment: str
    caption: str
    longest_answer: int = 16
    longest_caption: int = 80

    def text(self, asked: ModelInput) -> str:
        """What is said to the model for this input."""
        query = asked.query
        if query.task is Task.CAPTIONING:
            return self.caption
        prompt = self.entailment if query.task is Task.ENTAILMENT else self._of_question(query.text)
        return prompt.replace(PLACE, query.text)

    def longest(self, task: Task) -> int:
        """How many tokens may be generated at most."""
        return self.longest_caption if task is Task.CAPTIONING else self.longest_answer

    @property
    def digest(self) -> str:
        """Names all of them, for fingerprints, and the rules by which one of them is taken."""
        rules = (f"forms {VERSION}",) if self.yes_no or self.count or self.choice else ()
        return digest(*map(str, astuple(self)), *rules)

    def _of_question(self, text: str) -> str:
        match form_of(text):
            case QuestionForm.YES_NO:
                return self.yes_no or self.question
            case QuestionForm.COUNT:
                return self.count or self.question
            case QuestionForm.CHOICE:
                return self.choice or self.question
            case QuestionForm.OTHER:
                return self.question


BARE = Prompts(
    question="{text}",
    entailment="Hypothesis: {text} Entailment, neutral or contradiction?",
    caption="Describe the picture.",
    longest_answer=4,
    longest_caption=64,
)
"""For models trained on these very prompts, such as the tiny one."""

INSTRUCTED = Prompts(
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

_FIELD_OF = {
    "prompt-question": "question",
    "prompt-yes-no": "yes_no",
    "prompt-count": "count",
    "prompt-choice": "choice",
    "prompt-entailment": "entailment",
    "prompt-caption": "caption",
}
_MAY_BE_EMPTY = frozenset({"yes_no", "count", "choice"})
_LENGTH_OF = {"longest-answer": "longest_answer", "longest-caption": "longest_caption"}

PROMPT_SETTINGS = (*_FIELD_OF, *_LENGTH_OF)
"""The names of ``--vqamt-option NAME=VALUE`` that change prompts."""


def prompts_of(options: ModelOptions, base: Prompts = INSTRUCTED) -> Prompts:
    r"""``base`` with what the user sets instead; ``\n`` in a prompt is a new line.

    Raises:
        OptionError: a prompt has no place for its text; one for descriptions has such a place, or is empty although the
            model has to be told what to do; or a length is no whole number.
    """
    texts: dict[str, str] = {}
    lengths: dict[str, int] = {}
    for name, field in _FIELD_OF.items():
        if name in options.settings:
            value = options.settings[name].replace("\\n", "\n")
            given = f"but got {name}={value!r}"
            if field == "caption":
                if PLACE in value:
                    raise OptionError(f"Expected a prompt without {PLACE}, for nothing is asked beside it, {given}")
                if not value.strip() and base.caption == INSTRUCTED.caption:  # what continues a text may begin it, too
                    raise OptionError(f"Expected a prompt that asks for a description, {given}")
            elif not value.strip() and field in _MAY_BE_EMPTY:
                value = ""
            elif PLACE not in value:
                raise OptionError(f"Expected {PLACE} in the prompt, where the question is to stand, {given}")
            texts[field] = value
    for name, field in _LENGTH_OF.items():
        if name in options.settings:
            value = options.settings[name]
            if not value.isdecimal() or not 1 <= int(value) <= 4096:
                raise OptionError(f"Expected a number of tokens from 1 to 4096, but got {name}={value!r}")
            lengths[field] = int(value)
    return replace(base, **texts, **lengths)  # type: ignore[arg-type]  # mypy takes each name for every field
