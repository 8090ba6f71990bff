"""Links of plain texts and of HTML, as words."""

from __future__ import annotations

import pytest

from spamnb.mail.parse import parse_mail


def url(body: str, kind: str = "plain") -> set[str]:
    raw = f"Content-Type: text/{kind}; charset=utf-8\n\n{body}".encode()
    return set(parse_mail(raw).tags["url"].decode().split())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("see http://www.example.com/pay/now?x=1.", "www_example_com example_com pay now"),
        ("see https://example.com", "example_com"),
        ("HTTP://EXAMPLE.COM/", "EXAMPLE_COM"),
        ("(http://a.example/x), <http://b.example/y>", "a_example x b_example y"),
        ("www.example.net, and www.example.org.", "www_example_net example_net www_example_org example_org"),
        ("http://www.example.com", "www_example_com example_com"),
        ("http://192.0.2.7/x", "192_0_2_7 192_0_2 x ip_host"),
        ("http://3232235777/x", "3232235777 x ip_host"),
        ("http://a.example:8080/x", "a_example port_8080 x"),
        ("http://bank.example@evil.example/x", "evil_example userinfo x"),
        ("http://www.w3.org/TR/html4", ""),
        ("http://a.example http://a.example", "a_example"),
        ("no link :// here", ""),
        ("http://", ""),
        ("a://b", "b"),
        ("http://bücher.example/", "b"),
    ],
)
def test_links_of_a_text(body: str, expected: str) -> None:
    assert url(body) == set(expected.split())


def test_links_of_html() -> None:
    body = '<a href="http://a.example/x">b</a><img src=http://c.example/d.gif><p>http://e.example'
    assert url(body, "html") == {"a_example", "x", "c_example", "d_gif", "e_example"}


@pytest.mark.parametrize(
    "body",
    [
        '<a href="http://evil.example/x">http://bank.example/login</a>',
        "<A HREF='https://evil.example'><b>www.bank.example</b></A>",
        '<a class=x href="http://192.0.2.1/x">https://bank.example</a>',
        '<a href="http://bank.example@evil.example">http://bank.example</a>',
    ],
)
def test_a_link_that_shows_another_host_is_told(body: str) -> None:
    assert "mismatch" in url(body, "html")


@pytest.mark.parametrize(
    "body",
    [
        '<a href="http://www.bank.example/x">http://bank.example/login</a>',
        '<a href="http://evil.example">Click here</a>',
        '<a href="http://evil.example">x</a><b>http://bank.example</b>',
        "<b>http://bank.example</b>",
        '<a href="/x">http://bank.example</a>',
    ],
)
def test_other_links_are_not(body: str) -> None:
    assert "mismatch" not in url(body, "html")


def test_many_links_are_bounded() -> None:
    mail = parse_mail(b"\n\n" + b"\n".join(b"http://host%d.example/path" % i for i in range(5000)))
    assert len(mail.tags["url"].split()) == 200
    assert "the tag url was cut at 200 words" in mail.notes


@pytest.mark.parametrize(
    ("source", "host"),
    [
        ('<a href="http&#58;//evil.example/">', "evil_example"),
        ('<a href="http://ev&#105;l.example/">', "evil_example"),
        ('<a href="http://ev%69l.example/">', "evil_example"),
        ('<a href="//evil.example/x">', "evil_example"),
        (r'<a href="http:\\evil.example\x">', "evil_example"),
        ('<a href="http://пример.рф/x">', "пример_рф"),
    ],
)
def test_hosts_in_other_spellings(source: str, host: str) -> None:
    assert host in url(source, "html")


def test_a_host_in_other_letters_in_a_text() -> None:
    assert "пример_рф" in url("see http://пример.рф/x")
    assert "a_example" in url("see http://a.example点击")  # what follows a host without a blank
    assert url("see http://\xa0") == set()


def test_a_bare_domain_that_leads_elsewhere() -> None:
    assert "mismatch" in url('<a href="http://evil.example/x">bank.com</a>', "html")
    assert "mismatch" in url('<a href="http://evil.example/x">www2.bank.com</a>', "html")
    assert "mismatch" not in url('<a href="http://www.bank.com/x">bank.com</a>', "html")
    assert "mismatch" not in url('<a href="http://evil.example/x">readme.txt</a>', "html")


def test_percent_signs_beside_ports_and_other_letters() -> None:
    assert {"percent", "port_8080", "example_com"} <= url("http://ex%61mple.com:8080/x")
    words = url("http://пример.рф/ http://a%0ab%00%ff.com/ http://%00/")
    assert {"пример_рф", "a", "percent"} == words


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none"><a href="http://known.example/x">news</a></div>',
        '<a href="http://known.example/x" style="font-size:0">news</a>',
        "<font color=white>see http://known.example/x</font>",
        '<p hidden><a href="//known.example/x">new</a> or <a href="http&#58;//known.example/y">old</a></p>',
        '<a href="http://known.example/x"><span style="opacity:0">news</span> </a>',
    ],
)
def test_links_that_cannot_be_seen_are_left_out(hidden: str) -> None:
    assert url(f'{hidden}<p><a href="http://shown.example/z">here</a>', "html") == {"shown_example", "z"}


@pytest.mark.parametrize(
    "shown",
    [
        '<a href="http://known.example/x">news</a><p hidden><a href="http://known.example/x">news</a></p>',
        '<a href="http://known.example/x"><img src=x.gif><span style="display:none">news</span></a>',
        '<a href="http://known.example/x">news<span style="display:none">letter</span></a>',
        '<p hidden>words</p><a href="http://known.example/x"></a>',
        "<p hidden>words</p><style>p{background:url(http://known.example/x)}</style>",
        "<p hidden>words</p><!-- http://known.example/x -->",
    ],
)
def test_other_links_of_a_page_with_hidden_text_stay(shown: str) -> None:
    assert url(shown, "html") == {"known_example", "x"}


def test_hidden_links_are_not_counted() -> None:
    raw = b'Content-Type: text/html\n\n<p hidden>a <a href="http://a.example">b</a></p>c'
    assert b"links_0" in parse_mail(raw).tags["html"].split()


@pytest.mark.parametrize(
    ("sender", "body", "expected"),
    [
        ("Bank <a@bank.example>", "http://www.bank.example/pay", {"own_domain"}),
        ("a@mail.bank.example", "http://bank.example and https://online.bank.example/x", {"own_domain"}),
        ("a@BANK.example", "HTTP://WWW.BANK.EXAMPLE:8080/pay", {"own_domain"}),
        ("a@bank.example", "http://bank.example and http://cdn.example/logo", {"mixed_domains"}),
        ("a@bank.example", "http://bank.example.evil.test/pay", {"other_domains"}),
        ("a@bank.example", "http://bank.example@evil.example/pay", {"other_domains"}),
        ("a@bank.example", "http://192.0.2.7/pay", {"other_domains"}),
        ("a@bank.example", "no link", set()),
        ("a@bank.example", "http://www.w3.org/TR/html4", set()),
        ("nobody", "http://bank.example", set()),
    ],
)
def test_whether_links_lead_to_the_sender(sender: str, body: str, expected: set[str]) -> None:
    raw = f"From: {sender}\nContent-Type: text/plain; charset=utf-8\n\n{body}".encode()
    words = parse_mail(raw).tags["url"].decode().split()
    assert {"own_domain", "mixed_domains", "other_domains"} & set(words) == expected
