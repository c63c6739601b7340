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
