"""How each task is put to a model that reads one text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """What is said to the model; ``{text}`` stands for the question or the hypothesis.

    Attributes:
        question, entailment, caption: the prompt of each task.
        longest_answer, longest_caption: how many tokens may be generated at most.
    """

    question: str
    entailment: str
    caption: str
    longest_answer: int = 16
    longest_caption: int = 80


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
    entailment=(
        "Hypothesis: {text}\nDoes the picture entail the hypothesis? Answer entailment where it must be true, "
        "contradiction where it cannot be, neutral where the picture does not tell. Answer with one word."
    ),
    caption="Describe the picture in one sentence. Name everything that can be seen.",
)
"""For published models that follow instructions."""
