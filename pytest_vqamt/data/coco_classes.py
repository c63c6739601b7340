"""The 80 classes of COCO, of which its annotators marked every instance."""

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


def annotated_exhaustively(names: frozenset[str]) -> frozenset[str]:
    """Those of a file's classes of which every instance is annotated: all where all are COCO's own, else none.

    What another data set in COCO form marks nobody knows: it may have left out what its makers did not care for.

    >>> sorted(annotated_exhaustively(frozenset({"dog", "cat"})))
    ['cat', 'dog']
    >>> sorted(annotated_exhaustively(frozenset({"dog", "lighthouse"})))
    []
    """
    return names if names <= COCO_CLASSES else frozenset()
