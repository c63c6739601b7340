"""A relation of our own, beside those of the papers."""

from __future__ import annotations

import pytest_vqamt as vqamt


@vqamt.relation("ours.mirror", task="vqa", expect=vqamt.same_answer)
def mirror(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft:
    """A mirrored picture shows the same things."""
    thing = choose.one(scene.objects)
    question = vqamt.ask.exists(thing)
    return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
