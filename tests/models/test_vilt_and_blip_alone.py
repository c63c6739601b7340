"""Adapters in a process of their own: what is imported, and a torchvision that belongs to another torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.models.conftest import Written
from tests.models.small import region_models
from tests.models.small.blip import blip_vqa
from tests.models.small.vilt import vilt_vqa

LOADED = """
import sys
import pytest_vqamt.models.region_models.frcnn.loading
from pytest_vqamt.models.region_models import lxmert, visualbert
from pytest_vqamt.models.transformers import blip, tiny, vilt
from pytest_vqamt.models.transformers.prompted import generative as adapter
heavy = {'torch', 'torchvision', 'transformers', 'PIL', 'numpy'} & set(sys.modules)
assert not heavy, f"{heavy} before a model is made"
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
for module, folder in zip((vilt, blip, lxmert, visualbert), sys.argv[1:], strict=True):
    try:
        module.load(folder, ModelOptions(device="cpu"))
    except ModelError as error:
        print(error)
"""

MISMATCHED = 'raise RuntimeError("operator torchvision::nms does not exist")\n'


def test_nothing_heavy_is_imported_and_a_torchvision_of_another_torch_is_told_in_one_line(
    tmp_path: Path, written: Written
) -> None:
    """The library itself would say: Could not import module 'ViltProcessor'."""
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "__init__.py").write_text(MISMATCHED)
    writers = (vilt_vqa, blip_vqa, region_models.lxmert, region_models.visualbert)
    told = loaded(tmp_path, [str(written(write)) for write in writers]).splitlines()
    assert len(told) == 4
    for line in told:
        assert line.startswith("Expected a torchvision that belongs to torch ")
        assert "operator torchvision::nms does not exist" in line


def loaded(tmp_path: Path, folders: list[str]) -> str:
    """What is told when one checkpoint of each is loaded, modules in ``tmp_path`` being found first."""
    here = Path(__file__).parents[2]
    paths = os.pathsep.join(str(path) for path in (tmp_path, here))
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *folders],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
