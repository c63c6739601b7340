"""All malformed inputs."""

from __future__ import annotations

from itertools import chain

from tests.malformed.entries import Malformed
from tests.malformed.fields_of_data_sets import ANSWERS, COCO, COCO_CAPTIONS, GQA, IMAGE_DATA, QUESTIONS, VISUAL_GENOME
from tests.malformed.fields_of_graphs import GRAPHS
from tests.malformed.of_fields import broken_fields
from tests.malformed.of_files import broken_files
from tests.malformed.of_lines import broken_line_files
from tests.malformed.of_names import hostile_names, photos_that_are_none
from tests.malformed.of_photos import broken_photos
from tests.malformed.records_of_coco import COCO as COCO_RECORDS
from tests.malformed.records_of_coco import VQA_V2 as VQA_V2_RECORDS
from tests.malformed.records_of_graphs import GRAPHS as GRAPHS_RECORDS
from tests.malformed.records_of_scene_graphs import GQA as GQA_RECORDS
from tests.malformed.records_of_scene_graphs import IN_PARTS as IN_PARTS_RECORDS
from tests.malformed.records_of_scene_graphs import VISUAL_GENOME as VISUAL_GENOME_RECORDS

CORPUS: tuple[Malformed, ...] = tuple(
    chain(
        broken_fields("graphs", "graphs.jsonl", GRAPHS),
        broken_fields("coco", "instances.json", COCO),
        broken_fields("coco", "captions.json", COCO_CAPTIONS),
        broken_fields("gqa", "sceneGraphs.json", GQA, strict=True),
        broken_fields("visual-genome", "scene_graphs.json", VISUAL_GENOME, strict=True),
        broken_fields("visual-genome", "image_data.json", IMAGE_DATA, strict=True),
        broken_fields("vqa-v2", "questions.json", QUESTIONS, strict=True),
        broken_fields("vqa-v2", "annotations.json", ANSWERS, strict=True),
        GRAPHS_RECORDS,
        COCO_RECORDS,
        VQA_V2_RECORDS,
        GQA_RECORDS,
        VISUAL_GENOME_RECORDS,
        IN_PARTS_RECORDS,
        broken_files(),
        broken_line_files(),
        hostile_names(),
        photos_that_are_none(),
        broken_photos(),
    )
)
