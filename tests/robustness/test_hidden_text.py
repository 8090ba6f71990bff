"""Text that a reader cannot see is not read, and text that only looks hidden is; Chromium is the witness."""

from __future__ import annotations

import pytest

from spamnb.mail.html_text import parse_html
from tests.helpers.chromium import find_chromium, open_chromium
from tests.robustness.hidden_text import ARGUABLE, HIDDEN, UNREADABLE, VISIBLE, is_read, page

CHROMIUM = find_chromium()
# In a font of one width these two take the same room: where no text is drawn, the pictures are the same.
WORDS = ("mmmmmmmm", "iwiwiwiw")
FRAME = "<!doctype html><meta charset=utf-8><style>html,td,textarea{font-family:monospace}</style>"


@pytest.mark.parametrize(("name", "body"), [*HIDDEN, *UNREADABLE])
def test_hidden_text_is_not_read(name: str, body: str) -> None:
    assert not is_read(body), name


@pytest.mark.parametrize(("name", "body"), VISIBLE)
def test_visible_text_is_read(name: str, body: str) -> None:
    assert is_read(body), name


@pytest.mark.parametrize(("name", "body", "hidden"), ARGUABLE)
def test_arguable_text_is_read_as_listed(name: str, body: str, hidden: bool) -> None:
    assert is_read(body) != hidden, name


def test_the_lists_are_long_and_have_no_repeats() -> None:
    assert len(HIDDEN) + len(UNREADABLE) >= 80
    assert len(VISIBLE) >= 40
    for bodies in (HIDDEN, UNREADABLE, VISIBLE):
        assert len({body for _, body in bodies}) == len(bodies)


@pytest.mark.parametrize("body", [body for _, body in HIDDEN if "style" in body and "</style>" not in body])
def test_text_that_a_style_hides_is_a_fact(body: str) -> None:
    assert b"hidden" in parse_html(page(body).encode())[1]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_chromium_draws_the_visible_texts_and_not_the_hidden_ones() -> None:
    assert CHROMIUM is not None
    with open_chromium(CHROMIUM) as browser:
        window = browser.new_context(
            viewport={"width": 800, "height": 300}, java_script_enabled=False
        ).new_page()

        def pictures(body: str) -> list[bytes]:
            rows = []
            for word in WORDS:
                window.set_content(FRAME + page(body, word))
                rows.append(window.screenshot())
            return rows

        def is_drawn(body: str) -> bool:  # on a busy machine a picture may be taken too early
            return all(one != other for one, other in (pictures(body) for _ in range(3)))

        assert [name for name, body in HIDDEN if is_drawn(body)] == []
        assert [name for name, body in VISIBLE if not is_drawn(body)] == []
