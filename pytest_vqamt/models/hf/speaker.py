"""What makes a generative checkpoint answer questions, judge hypotheses and describe pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.prompts import PLACE, Prompts
from pytest_vqamt.models.protocol import METHODS
from pytest_vqamt.models.steps import Rest, Steps
from pytest_vqamt.models.transformers.prompted.base import Family, Said
from pytest_vqamt.models.transformers.runtime import Runtime


class Speaker:
    """One checkpoint and how the tasks are put to it."""

    batch_size = 8

    def __init__(
        self,
        family: Family,
        runtime: Runtime,
        prompts: Prompts,
        fingerprint: Callable[[], str],
    ) -> None:
        """Puts a loaded checkpoint to work.

        Args:
            family: the checkpoint.
            runtime: where it computes.
            prompts: how each task is put to it. Where there is none for questions or hypotheses, the method for them is
                None, and it is not tested on them.
            fingerprint: makes what its answers are filed under, when it is first asked for.
        """
        self._family = family
        self._steps = Steps(runtime, self._ready, family)
        self._prompts = prompts
        self._fingerprint = fingerprint
        self.largest_batch = 128 if runtime.device.type == "cuda" else self.batch_size
        for task, prompt in ((Task.VQA, prompts.question), (Task.ENTAILMENT, prompts.entailment)):
            if not prompt:
                setattr(self, METHODS[task], None)

    @cached_property
    def fingerprint(self) -> str:
        """The files, the prompts and what computes the answers."""
        return self._fingerprint()

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Draws and resizes new pictures, and reads the prompts where it is known how many tokens a picture takes."""
        self._steps.prepare(task, batch)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A word or a phrase for each question."""
        return self._steps.answers(Task.VQA, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """What the model says to each hypothesis; whoever judges it reads the label in it."""
        return self._steps.answers(Task.ENTAILMENT, batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A description of each picture."""
        return self._steps.answers(Task.CAPTIONING, batch)

    def _ready(self, task: Task, batch: Sequence[ModelInput]) -> Rest:
        said = [Said(prompt=self._prompt(task, asked), question=asked.text) for asked in batch]
        speak = self._family.ready(batch, said, self._prompts.longest(task))

        def answers() -> tuple[Answer, ...]:
            heard = speak()
            return tuple(Answer(text, truncated=cut) for text, cut in zip(heard.texts, heard.cut, strict=True))

        return answers

    def _prompt(self, task: Task, asked: ModelInput) -> str:
        if task is Task.CAPTIONING:
            return self._prompts.caption
        if task is Task.ENTAILMENT:
            return self._prompts.entailment.replace(PLACE, asked.text)
        return self._prompts.text(asked)
