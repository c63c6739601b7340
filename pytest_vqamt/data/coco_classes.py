"""The 80 classes of COCO, and of which of them every instance is annotated."""

from __future__ import annotations

COCO_CLASSES: frozenset[str] = frozenset(
    {
        "person",
        *("bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"),
        *("traffic light", "fire hydrant", "stop sign", "parking meter", "bench"),
        *("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
        *("backpack", "umbrella", "handbag", "tie", "suitcase"),
        *("frisbee", "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove"),
        *("skateboard", "surfboard", "tennis racket"),
        *("bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl"),
        *("banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake"),
        *("chair", "couch", "potted plant", "bed", "dining table", "toilet"),
        *("tv", "laptop", "mouse", "remote", "keyboard", "cell phone"),
        *("microwave", "oven", "toaster", "sink", "refrigerator"),
        *("book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush"),
    }
)
"""As its files spell them; Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014."""


_LOOSE: frozenset[str] = frozenset(
    {
        *("bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl"),
        *("banana", "apple", "orange", "broccoli", "carrot"),
        *("chair", "potted plant", "dining table", "tv", "book", "vase", "handbag", "backpack", "keyboard"),
    }
)
"""Classes of which annotators passed over small instances, took a bunch for one, took other things for them, or marked
none that is part of another thing: the keyboard of a laptop."""


def annotated_exhaustively(names: frozenset[str]) -> frozenset[str]:
    """Those of a file's classes of which every instance is surely annotated: none where not all are COCO's own.

    What another data set in COCO form marks nobody knows: it may have left out what its makers did not care for.

    **Deviation:** Lin et al. (ECCV 2014) had all 80 classes marked, but photos show that some of small things are not:
    shelves of bottles of which a few are marked, a bunch of bananas as one. What rests on these is presumed.

    >>> sorted(annotated_exhaustively(frozenset({"dog", "cat", "bottle"})))
    ['cat', 'dog']
    >>> sorted(annotated_exhaustively(frozenset({"dog", "lighthouse"})))
    []
    """
    return names - _LOOSE if names <= COCO_CLASSES else frozenset()
