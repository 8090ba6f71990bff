"""Tags and texts of HTML sources: the pattern against its slow twin."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from spamnb.mail import hidden_text
from spamnb.mail.computed_style import StyleTree
from spamnb.mail.html_text import parse_html
from spamnb.mail.html_tokens import split_markup
from tests.reference import markup as reference
from tests.robustness.hidden_text import HIDDEN, VISIBLE

PIECES = [
    *("<", ">", "/", "=", '"', "'", " ", "\n", "\v", "a", "-", "--", "!", "?", "x y", "&#58;", "\\"),
    *(
        "<b",
        "<B>",
        "</b>",
        "<p ",
        "</p>",
        "<td>",
        "<!--",
        "-->",
        "--!>",
        "<!-->",
        "<!--->",
        "<!doctype html>",
    ),
    *("<title>", "</title>", "</TITLE x='>'>", "<style>", "</style", "<Script ", "</script\v>", "<scripts>"),
    *("<textarea/", "</textarea/>", "<xmp", "<plaintext>", "</plaintext>", "</ b>", "<//script>", "<?xml ?>"),
    *(' title="', " style='color:red'", " a=b", "= 'x>y'", "='", '="<b>"'),
]
SOURCES = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(SOURCES)
@example("<title>a</titles></title b='>'>c")
@example("<plaintext>a<b>")
@example("<a title='x")
def test_the_pattern_splits_as_its_slow_twin(source: str) -> None:
    data = source.encode()
    assert tuple(split_markup(data, data.lower())) == reference.split_markup(data)


TAGS = [
    *(
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<font color=white>",
        "<font size=1 color=#eee>",
        "</font>",
        "<td>",
        "</td>",
    ),
    *(
        "<table bgcolor=navy>",
        "<tr>",
        "</table>",
        "<div style='display:none'>",
        "</div>",
        "<a href=x>",
        "</a>",
    ),
    *(
        "<body text=white link=#fffffe>",
        "<body bgcolor=black>",
        "<p class=x>",
        "<style>.x{color:#fff}</style>",
    ),
    *(
        "<details>",
        "<summary>",
        "</details>",
        "<span style='font-size:.4em'>",
        "</span>",
        "<title>",
        "<html>",
    ),
    *("<style>p:first-child{opacity:0}</style>", "<style>td p{display:none}</style>", "<ul><li>", "</ul>"),
]
PAGES = st.lists(st.sampled_from([*TAGS, "word ", " "]), max_size=25).map("".join)


@given(st.lists(PAGES, max_size=4), PAGES)
def test_what_is_kept_of_other_pages_changes_nothing(others: list[str], page: str) -> None:
    for other in others:
        parse_html(other.encode())
    assert parse_html(page.encode()) == _parse_alone(page)


@pytest.mark.parametrize("page", [page for _, page in (*HIDDEN, *VISIBLE)])
def test_a_page_is_read_alike_alone_and_after_others(page: str) -> None:
    parse_html(("<table><tr><td>" + page).encode())
    assert parse_html(page.encode()) == _parse_alone(page)


def _parse_alone(page: str) -> tuple[bytes, list[bytes], bool]:
    """Reads a page with nothing kept of others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hidden_text, "_shared_styles", StyleTree())
        hidden_text._elements.clear()
        return parse_html(page.encode())


def test_styles_that_are_kept_stay_below_a_limit() -> None:
    tree = StyleTree()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hidden_text, "_shared_styles", tree)
        for number in range(5_000):
            parse_html(b"<p style='color:#%06x'>a" % number)
    html = tree.root.inside.get(b"html ", tree.root)
    assert 0 < len(html.inside) < 3_000
