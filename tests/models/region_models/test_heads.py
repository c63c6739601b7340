"""An attribute is told of the likeliest class, and the background is one of those."""

from __future__ import annotations

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.network import BoxPredictor


@pytest.fixture
def predictor() -> BoxPredictor:
    """Of 8 features, 2 classes and 2 attributes, all of whose weights are zero."""
    made = BoxPredictor(8, classes=2, attributes=2)
    for parameter in made.parameters():
        torch.nn.init.zeros_(parameter)
    return made


@pytest.mark.parametrize(
    ("first_features", "likeliest", "told"),
    [((5.0, 0.0), 0, 10.0), ((0.0, 5.0), 1, 20.0), ((0.0, 0.0), 2, 30.0)],
    ids=["class 0", "class 1", "background"],
)
@torch.no_grad()
def test_the_attribute_follows_the_likeliest_of_all_classes(
    predictor: BoxPredictor, first_features: tuple[float, float], likeliest: int, told: float
) -> None:
    # A class's logit is its feature, the background's 1; the only hidden unit that counts is the class's embedding.
    predictor.cls_score.weight[:2, :2] = torch.eye(2)
    predictor.cls_score.bias[2] = 1
    predictor.cls_embedding.weight[:, 0] = torch.tensor([10.0, 20.0, 30.0])
    predictor.fc_attr.weight[0, 8] = 1
    predictor.attr_score.weight[1, 0] = 1
    classes, attributes, _ = predictor(torch.tensor([[*first_features, 0, 0, 0, 0, 0, 0]]))
    assert int(classes.argmax()) == likeliest
    assert attributes.tolist() == [[0, told, 0]]


@torch.no_grad()
def test_every_class_has_four_deltas_of_its_own(predictor: BoxPredictor) -> None:
    predictor.bbox_pred.bias[:] = torch.arange(8.0)
    deltas = predictor(torch.zeros(3, 8))[2]
    assert deltas.shape == (3, 2, 4)
    assert deltas[2].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
