"""The fits: weights of 0 or more, whatever the labels."""

import numpy as np
import pytest

from atmem_core.evaluation.fit import fit_logistic


@pytest.mark.parametrize("scale", [1.0, 30.0])
@pytest.mark.filterwarnings("error")
def test_labels_that_are_easily_told_apart_give_finite_weights(scale: float) -> None:
    told = np.array([[0.0, 1.0], [0.1, 1.0], [0.9, 1.0], [1.0, 1.0]] * 50) * scale
    found = fit_logistic(told, np.array([0.0, 0.0, 1.0, 1.0] * 50))
    assert found.weights[0] > 0
    assert all(np.isfinite([*found.weights, found.bias]))
    scores = told @ np.array(found.weights) + found.bias
    assert list(scores > 0) == [False, False, True, True] * 50


def test_a_feature_that_counts_against_gets_no_weight() -> None:
    chance = np.random.default_rng(7)
    rows = chance.random((400, 2))
    labels = (rows[:, 0] - rows[:, 1] + chance.normal(0, 0.2, 400) > 0).astype(float)
    found = fit_logistic(rows, labels)
    assert found.weights[0] > 0
    assert found.weights[1] == 0
