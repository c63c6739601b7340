"""How models of today write their reasoning around an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_vqamt.core.meaning import (
    NONE_OF_THESE,
    Absent,
    Both,
    Choice,
    Count,
    Either,
    Exists,
    Group,
    Has,
    Meaning,
    Property,
    WhichThere,
)
from pytest_vqamt.language.english.nouns import with_article
from pytest_vqamt.language.english.phrases import join_phrases, phrase, predicative

WRAPPERS: Mapping[str, str] = {
    "think": "<think>\n{trace}\n</think>\n\n{answer}",
    "think opened by the prompt": "{trace}\n</think>\n\n{answer}",
    "thinking": "<thinking>{trace}</thinking>{answer}",
    "thought": "<thought>{trace}</thought>\n{answer}",
    "Mistral": "[THINK]{trace}[/THINK]{answer}",
    "reason": "<reason>{trace}</reason> {answer}",
    "reasoning": "<reasoning>{trace}</reasoning>\n<answer>{answer}</answer>",
    "Seed": "<seed:think>{trace}<seed:cot_budget_reflect>{trace}</seed:cot_budget_reflect></seed:think>{answer}",
    "reflection": "<think>{trace}<reflection>{trace}</reflection></think>{answer}",
    "Kimi": "\u25c1think\u25b7{trace}\u25c1/think\u25b7{answer}",
    "harmony": (
        "<|channel|>analysis<|message|>{trace}<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
    ),
    "harmony without special tokens": "analysis{trace}assistantfinal{answer}",
    "Gemma": "<|channel>thought\n{trace}\n<channel|>{answer}",
    "MedGemma": "<unused94>thought\n{trace}<unused95>{answer}",
    "OpenThinker": "<|begin_of_thought|>{trace}<|end_of_thought|>\n<|begin_of_solution|>{answer}<|end_of_solution|>",
    "Command A": "<|START_THINKING|>{trace}<|END_THINKING|><|START_RESPONSE|>{answer}<|END_RESPONSE|>",
    "GLM": "<think>{trace}</think>\n<answer><|begin_of_box|>{answer}<|end_of_box|></answer>",
    "nested": "<think>{trace}<think>{trace}</think>{trace}</think>{answer}",
}
"""Templates with ``{trace}`` and ``{answer}``."""

MANNERS: Mapping[str, str] = {
    "runs on, question and answer": "{answer}\n\nQuestion: Is there a zebra in the picture?\nAnswer: no",
    "runs on, user and assistant": "{answer}\nUser: How many cars are there?\nAssistant: 7",
    "runs on, headings": "{answer} ### Human: Is it red? ### Assistant: no",
    "runs on, chat marks": (
        "{answer}<|im_end|>\n<|im_start|>user\nIs there a dog?<|im_end|>\n<|im_start|>assistant\nno"
    ),
    "runs on, in a line": "{answer} Question: What color is it? Answer: green",
    "says the question back": "{question} {answer}",
    "says the question back, in lines": "Question: {question}\nAnswer: {answer}",
    "says the question back, by letters": "Q: {question} A: {answer}",
    "bold": "**Answer:** {answer}",
    "a sentence": "The answer is {answer}.",
    "explained": "Answer: {answer}\n\nExplanation: I looked at the whole picture, from the left to the right.",
    "obliging": "Sure! {answer}",
    "based on": "Based on the image, the answer is: {answer}.",
    "looking": "Looking at the picture, I would say: {answer}",
    "offers more": "{answer}\n\nLet me know if you need anything else!",
    "sure of it": "{answer} (I am quite sure.)",
    "JSON": '{{"answer": "{answer}"}}',
    "fenced JSON": '```json\n{{"answer": "{answer}"}}\n```',
    "boxed": "\\boxed{{{answer}}}",
    "final": "After a careful look at all of it, I come to this. Final answer: {answer}",
    "tag": "<answer>{answer}</answer>",
    "bullet": "- {answer}",
    "quoted": '"{answer}"',
    "named": "Assistant: {answer}",
}
"""Ways to answer of models that chat, with ``{question}`` and ``{answer}``."""


def _in_sentences(meaning: Meaning, answer: str, *, there: str, not_there: str) -> str:
    """The answer as a sentence about the things of the question; as it is where no sentence is sure to say the same."""
    said = answer.rstrip(".").lower()
    match meaning:
        case Exists(group=group) | Absent(group=group) if said in ("yes", "no"):
            if (said == "yes") == isinstance(meaning, Exists):
                return there.format(with_article(phrase(group, "singular")))
            return not_there.format(phrase(group, "singular"))
        case Both(groups=groups) if said == "yes":
            return there.format(join_phrases([with_article(phrase(each, "singular")) for each in groups]))
        case Either(groups=groups) if said == "no":
            return not_there.format(" or ".join(phrase(each, "singular") for each in groups))
        case Has(group=group, attribute=attribute) if said in ("yes", "no"):
            is_so = "is" if said == "yes" else "is not"
            return f"The {_name(group)} {is_so} {predicative(attribute, 'singular')}."
        case Count(groups=(group,)):
            number = "singular" if said in ("1", "one") else "plural"
            return there.format(f"{answer} {phrase(group, number)}")
        case Count():
            return f"There are {answer} of them in total."
        case WhichThere() | Choice() if said == NONE_OF_THESE:
            return "None of the listed items is visible."
        case WhichThere(missing=True):
            return f"The {answer} is missing."
        case Property(group=group) if said not in ("none", "nothing"):
            return f"The {_name(group)} is {answer}."
        case _:
            return answer


def _labelled(meaning: Meaning, answer: str) -> str:
    """Yes or no behind the name of the thing."""
    said = answer.rstrip(".").lower()
    match meaning:
        case Exists(group=group) | Absent(group=group) if said in ("yes", "no") and not group.related:
            there = (said == "yes") == isinstance(meaning, Exists)
            return f"- {phrase(group, 'singular').capitalize()}: {'present' if there else 'not present'}"
        case Count(groups=(group,)) if not group.related:
            return f"| Item | Count |\n|---|---|\n| {phrase(group, 'plural').capitalize()} | {answer} |"
        case _:
            return answer


def _of_all(meaning: Meaning, answer: str) -> str:
    """The number of those with an attribute, behind the number of all."""
    match meaning:
        case Count(groups=(Group(attributes=(attribute,), related=()) as group,)) if answer.isdecimal():
            names = phrase(Group(name=group.name), "plural")
            so = predicative(attribute, "plural")
            return f"The picture shows {int(answer) + 2} {names}, and {answer} of them are {so}."
        case _:
            return answer


def _name(group: Group) -> str:
    return phrase(group, "singular")


SPOKEN: Mapping[str, Callable[[Meaning, str], str]] = {
    "in sentences": lambda meaning, answer: _in_sentences(
        meaning, answer, there="There is {}.", not_there="There is no {}."
    ),
    "shows": lambda meaning, answer: _in_sentences(
        meaning, answer, there="The image shows {}.", not_there="The image does not show any {}."
    ),
    "I see": lambda meaning, answer: _in_sentences(
        meaning, answer, there="I can see {}.", not_there="I can't see any {}."
    ),
    "labels": lambda meaning, answer: _labelled(meaning, answer),
    "of all": lambda meaning, answer: _of_all(meaning, answer),
}
"""Ways to answer by a sentence about what is asked, of the meaning of a question and the answer."""
