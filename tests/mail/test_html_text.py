"""HTML as its reader sees it, and facts about its markup."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from spamnb.mail.html_text import parse_html


def text(source: str) -> str:
    return " ".join(parse_html(source.encode())[0].decode().split())


def facts(source: str) -> set[str]:
    return {fact.decode() for fact in parse_html(source.encode())[1]}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "plain"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<br>b<BR/>c<br />d", "a b c d"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("w<b>or</b>d", "word"),
        ("w<FONT size=1>or</FONT>d", "word"),
        ("w<!-- x -->ord", "word"),
        ("w<!-- <b> > -->ord", "word"),
        ("w<!-- a <!-- b -->ord", "word"),
        ("w<!-->ord", "word"),
        ("w<!--->ord", "word"),
        ("w<!zzz>ord", "word"),
        ("w<zzz>ord", "word"),
        ("w<?xml a?>ord", "word"),
        ("a<!-- open", "a"),
        ("a<b open", "a"),
        ("a < b > c", "a < b > c"),
        ("1<2 and 3>2", "1<2 and 3>2"),
        ("a<script>if (1<2) { b }</script>c", "a c"),
        ("a<SCRIPT src='x'>b</Script >c", "a c"),
        ("a<style>p { color: red }</style>b", "a b"),
        ("a<style>b", "a"),
        ("<title>a</title>b", "b"),
        ("&lt;b&gt; &amp;amp; &quot;x&quot;", '<b> &amp; "x"'),
        ("a&nbsp;b&#160;c", "a b c"),
        ("&eacute;&#233;&#xE9;&euro;", "éééé".replace("éééé", "ééé€")),
        ("&eacute &#233 &copy", "é é ©"),
        ("&nosuch; &; & &#; &#x; AT&T", "&nosuch; &; & &#; &#x; AT&T;"),
        ("&#0;&#xD800;&#1114112;&#99999999999999999999;", "\ufffd\ufffd\ufffd\ufffd"),
        ('<a title="a > b">c</a>', "c"),
        ("<img alt='> a b' src=x.gif>c", "c"),
        ('<p class=it"s>a</p> "b" <p>c', 'a "b" c'),
        ('<a href="x>a</a> b', ""),
        ('z <a href="x>a</a> b" c>d', "z d"),
        ("V<span style='display:none'>x</span>iagra", "Viagra"),
        ("<p title='<!--'>a</p>b<!-- c -->", "a b"),
        ("a<style><!-- p {} --></style>b", "a b"),
        ("日本<b>語</b>", "日本語"),
        ("", ""),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">b</div>',
        '<DIV STYLE="Display : None; color: red">b<div>c</div>d</DIV>',
        '<span style="visibility: hidden">b</span>',
        '<span style="font-size:0">b</span>',
        '<span style="font-size: 0px">b</span>',
        '<font style="font-size:1px">b</font>',
        "<style>.x, p.y { display: none }</style><p class=y>b</p>",
        "<style>.x { display: none }</style><p class='big x'>b</p>",
        "<style>#x { font-size: 0 }</style><p id=x>b</p>",
        "<p hidden>b</p>",
        "<p class=x hidden>b</p>",
        '<p style="opacity:0">b</p>',
        '<p style="max-height:0;overflow:hidden">b</p>',
        '<p style="position:absolute;left:-9999px">b</p>',
        '<p style="text-indent:-999px">b</p>',
        '<p style="font:0px arial">b</p>',
        '<p style="font-size:.5px">b</p>',
        '<p style="display:/**/none">b</p>',
        '<p style="display&#58;none">b</p>',
        "<font color=#FFFFFF>b</font>",
        "<font color=white>b</font>",
        '<span style="color:#fff">b</span>',
        '<span style="color:white;background:white">b</span>',
        "<body bgcolor=#ffffff><font color=#ffffff>b</font>",
        '<p style="/*"></p><p style="display:none">b</p>',
        "<style>/*</style><style>.a{display:none}</style><p class=a>b</p>",
        '<p title="/*" style="display:none">b</p>',
        "<style>#x .y, p.a { display: none }</style><p class=a>b</p>",
        "<font color=#fffffe>b</font>",
    ],
)
def test_hidden_text_is_kept_out_and_reported(hidden: str) -> None:
    assert text(f"a {hidden} z") == "a z"
    assert "hidden" in facts(f"a {hidden} z")


@pytest.mark.parametrize(
    "shown",
    [
        '<div style="display:block">b</div>',
        '<span style="font-size: 10px">b</span>',
        '<span style="font-size: 0.9em">b</span>',
        '<span style="font-size: 1em">b</span>',
        "<style>.x { display: none }</style><p class='xx'>b</p>",
        "<p>b</p>",
        '<p style="opacity:0.9">b</p>',
        '<p style="line-height:0">b</p>',
        '<p style="max-height:0.5em">b</p>',
        '<p style="margin-left:-2px">b</p>',
        "<p title='a hidden place'>b</p>",
        "<body bgcolor=black text=silver><font color=white>b</font>",
        '<p style="background:#000;color:#fff">b</p>',
        "<table bgcolor=navy><tr><td><font color=white>b</font></table>",
        '<table bordercolor="#FFFFFF"><td>b</td></table>',
        '<div style="border-color:#fff">b</div>',
        '<div style="border-bottom-color: white">b</div>',
        '<td style="background-image:url(x.jpg);color:#fff">b</td>',
        "<table><td background=x.jpg><font color=white>b</font></td></table>",
        '<p style="background : #000; color: #fff">b</p>',
        "<style>.btn{background:#007bff}</style><a class=btn style='color:#ffffff'>b</a>",
        "<style>#x .y, #z p.a { display: none }</style><p class=a>b</p>",
        "<style>#wrap .pre{display:none}</style><div id=wrap>b</div>",
        "<style>.big.gone{display:none}</style><div class=big>b</div>",
        "<style>#x:hover{display:none}</style><div id=x>b</div>",
        '<div style="margin-left:-100px">b</div>',
    ],
)
def test_shown_text_is_kept(shown: str) -> None:
    assert text(f"a {shown} z") == "a b z"
    assert "hidden" not in facts(f"a {shown} z")


def test_a_hidden_element_without_an_end_runs_to_the_end_and_an_empty_one_hides_nothing() -> None:
    assert text('a <p style="display:none">b') == "a"
    assert text('a <img style="display:none"> b') == "a b"
    assert "hidden" in facts('a <p style="display:none">b')


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a</p><p>b</p>c<br>", "tags_8 images_0"),
        ("<img src=a><IMG src=b><img src=c>", "images_4"),
        ('<font color="#FF0000" size="+3">a</font>', "color_ff0000 size_plus_3"),
        ("<body bgcolor=white text='black'>", "color_white"),
        ('<p style="color: red; font-size: 10px">', "color_red size_10"),
        ("<form action=x><input type=text></form>", "form input"),
        ("<iframe src=x></iframe>", "iframe"),
        ("<script>a</script>", "script"),
        ("a<!-- b -->", "comments"),
        ("a<zzz>b", "odd_tag"),
    ],
)
def test_facts(source: str, expected: str) -> None:
    assert set(expected.split()) <= facts(source)


@pytest.mark.parametrize("source", ["<o:p>a</o:p>", "<p>a</p>", "<!DOCTYPE html>", "<?xml version='1'?>"])
def test_ordinary_tags_are_not_odd(source: str) -> None:
    assert "odd_tag" not in facts(source)


MARKUP = st.sampled_from(
    [
        *"<>/!-&#;='\" a1",
        "<p>",
        "</p>",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "style=",
        "display:none",
        "&amp;",
        "é",
    ]
)


@given(st.lists(MARKUP, max_size=40).map("".join))
def test_any_markup_gives_text(source: str) -> None:
    raw = source.encode()
    text, facts, _, _ = parse_html(raw)
    text.decode()
    assert parse_html(raw)[:2] == (text, facts)
    assert all(fact.replace(b"_", b"").isalnum() for fact in facts)


@given(st.lists(st.sampled_from(["a", "b ", "<b>", "</b>", "<i x=1>", "</i>"]), max_size=30).map("".join))
def test_text_is_what_is_left_without_tags(source: str) -> None:
    expected = source
    for tag in ("<b>", "</b>", "<i x=1>", "</i>"):
        expected = expected.replace(tag, "")
    assert parse_html(source.encode())[0].decode() == expected
