"""The 4,000 questions of VQA v2 that lie beside the project, where they do."""

from __future__ import annotations

from pathlib import Path

import pytest

VQA_V2 = Path(__file__).parents[3] / "../shared/data/vqa_v2"

real_data = pytest.mark.skipif(not VQA_V2.is_dir(), reason="the data of ../shared/data is not here")
