"""Mails made to harm, through the real filter: it answers, its memory is bounded, its time grows evenly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robustness.hostile_mail import CASES, MAX_GROWTH, MAX_MEGABYTES, filtered, growth


@pytest.mark.parametrize("name", CASES)
def test_the_filter_answers_within_bounds(name: str, mail_model: Path, tmp_path: Path) -> None:
    cost, wrong = filtered(name, mail_model, tmp_path)
    assert wrong == ""
    assert cost.megabytes < MAX_MEGABYTES


@pytest.mark.parametrize("name", CASES)
def test_twice_the_size_takes_about_twice_the_time(name: str) -> None:
    assert growth(name, part=4, tries=8) < MAX_GROWTH
