"""What each extra brings, by the names under which it is imported; tests of what is not installed are skipped.

With ``VQAMT_EXTRAS=required`` in the environment, as in CI with the extra ``test``, a missing import ends the run.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from importlib.util import find_spec
from typing import Final

import pytest

CORE: Final = {
    "PIL": "pillow",
    "filelock": "filelock",
    "hypothesis": "hypothesis",
    "ijson": "ijson",
    "inflect": "inflect",
    "jinja2": "jinja2",
    "markupsafe": "markupsafe",
    "msgspec": "msgspec",
    "nltk": "nltk",
    "numpy": "numpy",
    "packaging": "packaging",
    "platformdirs": "platformdirs",
    "pycocotools": "pycocotools",
    "_pytest": "pytest",
    "pytest": "pytest",
    "tqdm": "tqdm",
    "yaml": "pyyaml",
}
"""Each import of the core and the distribution that it is from."""

EXTRAS: Final = {
    "transformers": {
        "huggingface_hub": "huggingface-hub",
        "safetensors": "safetensors",
        "torch": "torch",
        "transformers": "transformers",
    },
    "torchvision": {"torchvision": "torchvision"},
    "gpu": {"accelerate": "accelerate"},
    "http": {"httpcore2": "httpcore2", "httpx2": "httpx2"},
    "ray": {"psutil": "psutil", "ray": "ray", "starlette": "starlette", "uvicorn": "uvicorn"},
    "inpaint": {"cv2": "opencv-python-headless", "skimage": "scikit-image"},
    "parquet": {"pyarrow": "pyarrow"},
    "photos": {"scipy": "scipy", "skimage": "scikit-image", "torch": "torch", "transformers": "transformers"},
    "noise": {"rouge_score": "rouge-score", "sklearn": "scikit-learn", "threadpoolctl": "threadpoolctl"},
    "cider": {"pycocoevalcap": "pycocoevalcap"},
    "embeddings": {"huggingface_hub": "huggingface-hub", "sentence_transformers": "sentence-transformers"},
    "xdist": {"xdist": "pytest-xdist"},
    "notebook": {"pandas": "pandas"},
    "completion": {"argcomplete": "argcomplete"},
    "test": {
        "datasets": "datasets",
        "grimp": "import-linter",
        "hatchling": "hatchling",
        "importlinter": "import-linter",
        "ipykernel": "ipykernel",
        "jsonschema": "jsonschema",
        "nbclient": "nbclient",
        "nbformat": "nbformat",
        "playwright": "playwright",
        "psutil": "psutil",
        "scipy": "scipy",
        "statsmodels": "statsmodels",
        "tokenizers": "tokenizers",
    },
}
"""Of each extra, its imports and the distributions that they are from."""

LOOKED_FOR: Final = ("torchvision",)
"""What is used where it happens to be installed, and needed by no file."""

USED_BY: Final = {
    "pytest_vqamt/annotation/detectors": ("photos",),
    "pytest_vqamt/commands/completion.py": ("completion",),
    "pytest_vqamt/commands/doctor.py": ("transformers",),
    "pytest_vqamt/data/hugging_face.py": ("parquet",),
    "pytest_vqamt/integration/run_report.py": ("notebook",),
    "pytest_vqamt/imaging/inpainters.py": ("inpaint", "transformers"),
    "pytest_vqamt/language/question_ranking": ("cider", "embeddings", "noise", "transformers"),
    "pytest_vqamt/models/http": ("http",),
    "pytest_vqamt/models/region_models": ("transformers",),
    "pytest_vqamt/models/served": ("http",),
    "pytest_vqamt/models/transformers": ("transformers",),
    "pytest_vqamt/reporting/table_export.py": ("parquet",),
    "pytest_vqamt/serving": ("ray",),
}
"""The folders and files that import more than the core, and the extras that they may import from."""


NOT_OF_TEST: Final = ("gpu", "torchvision")
"""The extras that the extra ``test`` leaves out."""


def extra_with(module: str) -> str | None:
    """The first extra that brings the top-level ``module``; None where it is not of an extra."""
    return next((extra for extra, brought in EXTRAS.items() if module in brought), None)


def pytest_configure() -> None:
    """Raises UsageError where all extras are required and one is not installed."""
    if os.environ.get("VQAMT_EXTRAS") != "required":
        return
    wanted = {module for extra, brought in EXTRAS.items() if extra not in NOT_OF_TEST for module in brought}
    if missing := sorted(module for module in wanted if find_spec(module) is None):
        raise pytest.UsageError(f"VQAMT_EXTRAS=required, but not installed: {', '.join(missing)}")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skips a file, or a folder with its conftest.py, that imports what an extra brings which is not installed."""
    report = yield
    error: BaseException | None = report.call.excinfo.value if report.call and report.call.excinfo else None
    while error and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__ or error.__context__
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    # Of an installed package only a part is missing, which is an error.
    if (extra := extra_with(module)) and find_spec(module) is None:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: needs {module}: pip install 'pytest-vqamt[{extra}]'")
    return report
