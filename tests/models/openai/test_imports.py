"""A model behind a server needs no torch: nothing heavy is loaded to ask it."""

from __future__ import annotations

import subprocess
import sys

from tests.models.openai.conftest import Serve
from tests.models.openai.stub import always, said

ASKS = """
import sys
from PIL import Image
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.catalogue import ModelCatalogue

heavy = ("torch", "transformers", "numpy", "scipy", "torchvision", "cv2", "huggingface_hub", "openai")
ModelCatalogue().check(f"openai:m@{sys.argv[1]}", ModelOptions())
print(*(name for name in (*heavy, "httpx2") if name in sys.modules))
model = ModelCatalogue().load(f"openai:m@{sys.argv[1]}", ModelOptions())
scene = Scene(id="s", photo=Photo(id="s.png", digest="0" * 16), width=8, height=8)
query = Query(picture=scene.picture, text="What is there?", meaning=Describe())
asked = ModelInput(query, lambda picture: Image.new("RGB", (8, 8)))
print(model.ask(Task.VQA, [asked])[0].text)
print(*(name for name in heavy if name in sys.modules))
"""


def test_it_brings_nothing_heavy_and_to_check_it_not_even_what_sends(serve: Serve) -> None:
    server = serve(always(said("nothing")))
    ended = subprocess.run(
        [sys.executable, "-c", ASKS, server.url], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.stderr == ""
    assert ended.stdout == "\nnothing\n\n"
    assert len(server.requests) == 1
