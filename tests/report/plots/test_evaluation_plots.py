"""Plots as SVG: complete, valid, nothing outside the paper."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from spamnb.evaluation.report_data import Panels, ScoredLabels, make_panels
from spamnb.report.plots.drawing import Box, Dot, Drawing, Line, TextShape
from spamnb.report.plots.evaluation_plots import EvaluationPlots, round_values
from spamnb.report.plots.palette import DARK, LIGHT
from spamnb.report.plots.svg import inline_svg, svg_file

NAMES = ["roc", "precision-recall", "scores", "calibration", "thresholds"]


def shown(size: int = 200, scale: float = 1.0, probabilities: bool = True) -> Panels:
    rng = np.random.default_rng(2)
    truth = rng.random(size) < 0.4
    rank = scale * rng.normal(np.where(truth, 2, -2), 2)
    return make_panels(ScoredLabels(truth, rank >= 0, rank, probabilities, np.zeros(size, bool), 0.0))


def drawings(panels: Panels, positive: str = "spam", negative: str = "ham") -> dict[str, Drawing]:
    return EvaluationPlots(panels, positive, negative).all()


def test_all_five_and_fewer_where_there_is_less() -> None:
    assert list(drawings(shown())) == NAMES
    assert list(drawings(shown(probabilities=False))) == ["roc", "precision-recall", "scores", "thresholds"]
    one = ScoredLabels(np.array([True]), np.array([True]), np.array([1.0]), True, np.zeros(1, bool), 0.0)
    assert list(drawings(make_panels(one))) == ["scores", "calibration", "thresholds"]


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1e5])
@pytest.mark.parametrize("probabilities", [True, False], ids=["probabilities", "scores"])
def test_nothing_lies_outside_of_the_paper(scale: float, probabilities: bool) -> None:
    for name, drawing in drawings(shown(scale=scale, probabilities=probabilities)).items():
        for shape in drawing.shapes:
            if isinstance(shape, Line):
                x, y = shape.points[:, 0], shape.points[:, 1]
            elif isinstance(shape, Box):
                x, y = (np.array([a, a + b]) for a, b in ((shape.x, shape.width), (shape.y, shape.height)))
            else:
                assert isinstance(shape, Dot | TextShape)
                x, y = np.array([shape.x]), np.array([shape.y])
            assert np.isfinite(x).all(), name
            assert x.min() >= 0, name
            assert x.max() <= drawing.width, name
            assert y.min() >= drawing.top - 6, name
            assert y.max() <= drawing.height, name


def test_svg_files_are_xml_with_title_and_description() -> None:
    for drawing in drawings(shown(), "<späm>\u202e", "h&m").values():
        source = svg_file(drawing)
        root = ElementTree.fromstring(source)
        names = [child.tag.rpartition("}")[2] for child in root]
        assert names[:2] == ["title", "desc"]
        assert "\u202e" not in source
        assert [part for part in source.split('"') if part.startswith("http")] == [
            "http://www.w3.org/2000/svg"
        ]
        ElementTree.fromstring(inline_svg(drawing))


def test_every_role_has_a_colour() -> None:
    roles = {shape.role for drawing in drawings(shown()).values() for shape in drawing.shapes}
    assert roles <= set(LIGHT)
    assert set(LIGHT) == set(DARK)


def test_round_values() -> None:
    assert round_values(-1, 1, 4) == [-1.0, -0.5, 0.0, 0.5, 1.0][:5]
    assert round_values(2, 2) == [2]
    for low, high in ((0.0, 1e-9), (-1e6, 1e6), (3.2, 3.9)):
        values = round_values(low, high)
        assert 2 <= len(values) <= 7
        assert low - 1e-9 <= min(values) <= max(values) <= high + 1e-9
