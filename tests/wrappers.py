"""How models of today write their reasoning around an answer."""

from __future__ import annotations

from collections.abc import Mapping

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
