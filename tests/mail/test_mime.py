"""The parts of a mail: structure, transfer encodings, attachments and limits."""

from __future__ import annotations

from base64 import b64encode

import pytest

from spamnb.mail.content_type import content_types, parameters
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import Limits

NESTED = b"Content-Type: multipart/alternative; boundary=bb\n\n--bb\n\nx\n--bb\n\ny\n--bb--\n"
MULTI = b"Content-Type: multipart/mixed; boundary=b\n\n"


def words(raw: bytes, tag: str) -> set[str]:
    return set(parse_mail(raw).tags[tag].decode().split())


def multi(*parts: bytes, kind: bytes = b"mixed") -> bytes:
    body = b"".join(b"--b\n%b\n" % part for part in parts)
    return b'Content-Type: multipart/%b; boundary="b"\n\npreamble\n%b--b--\nepilogue' % (kind, body)


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (b"", b"a b", "a b"),
        (b"Content-Transfer-Encoding: base64\n", b"Y2Fm\nw6k=", "café"),
        (b"Content-Transfer-Encoding: BASE64 \n", b"Y2Fmw6k", "café"),
        (b"Content-Transfer-Encoding: quoted-printable\n", b"caf=C3=\n=A9 =3D", "café ="),
        (b"Content-Transfer-Encoding: Quoted-Printable\n", b"100% =zz", "100% =zz"),
        (b"Content-Transfer-Encoding: 8bit\n", "café".encode(), "café"),
        (b"Content-Transfer-Encoding: x-unknown\n", b"a", "a"),
        (b"Content-Type: text/plain; charset=koi8-r\n", b"\xd0\xd2\xc9", "при"),
        (b"Content-Type: text/html\n", b"<p>a<b>b</b>", " ab"),
        (b"Content-Type: TEXT/HTML;charset='utf-8'\n", b"&euro;", "€"),
        (b"Content-Type: nonsense\n", b"a", "a"),
        (b"Content-Type: text\n", b"a", "a"),
        (b"Content-Type:\n", b"a", "a"),
        (b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n", b"aGVsbG8=", ""),
        (b"", b"a\0b", "ab"),
    ],
)
def test_one_part(head: bytes, body: bytes, expected: str) -> None:
    assert parse_mail(head + b"\n" + body).body.decode() == expected


def test_all_texts_of_a_multipart_are_read() -> None:
    raw = multi(
        b"\nplain", b"Content-Type: text/html\n\n<p>html", b"Content-Type: image/png\n\nxx", b"X: y\n\nlast"
    )
    assert parse_mail(raw).body == b"plain\n html\nlast"


PAGE = b"Content-Type: text/html\n\n"
HAM = b"Content-Type: text/plain\n\nlunch http://friends.example/"


@pytest.mark.parametrize(
    ("parts", "body"),
    [
        ((HAM, PAGE + b"<p>prize"), " prize"),
        ((HAM, multi(PAGE + b"<p>prize", b"Content-Type: image/png\n\nx", kind=b"related")), " prize"),
        ((HAM, multi(PAGE + b"<p>prize", b"Content-Type: application/pdf\n\nx")), " prize"),
        ((HAM, PAGE + b"<p>prize", b"Content-Type: text/calendar\n\nDTSTART"), " prize\nDTSTART"),
        ((HAM, PAGE + b"<img src=x.png>"), " "),  # the text beside a picture is not shown either
        ((HAM, PAGE + b"<p>&nbsp;<br>\n"), "lunch http://friends.example/\n   \n"),  # an empty page
        ((HAM, PAGE + b"<p style=display:none>prize"), "lunch http://friends.example/\n "),
        ((HAM, b"Content-Type: text/plain\n\nprize"), "lunch http://friends.example/\nprize"),
        (
            (PAGE + b"<p>prize", HAM),
            " prize\nlunch http://friends.example/",
        ),  # some show the one, some the other
        ((PAGE + b"<p>old", PAGE + b"<p>prize"), " prize"),
        ((HAM, multi(HAM, PAGE + b"<p>prize", kind=b"alternative")), " prize"),
    ],
)
def test_of_alternatives_the_one_that_is_shown_is_read(parts: tuple[bytes, ...], body: str) -> None:
    inner = [part.replace(b"--b", b"--c").replace(b'"b"', b'"c"') for part in parts]
    raw = multi(*inner, kind=b"alternative")
    assert parse_mail(raw).body.decode() == body
    has_link = "friends" in body
    assert any("friends" in word for word in words(raw, "url")) == has_link
    assert "text_plain" in words(raw, "mime") or HAM not in parts  # types are evidence all the same


@pytest.mark.parametrize(
    "last",
    [
        b"Content-Type: text/html\nContent-Disposition: attachment\n\n<p>lunch",
        b"Content-Type: text/x-amp-html\n\n<p>lunch",
        b"Content-Type: message/rfc822\n\nContent-Type: text/html\n\n<p>lunch",
        b"Content-Type: text/plain\n\nbegin 644 x.html\n);'5N8V@@;'5N8V@\n`\nend\n",
    ],
)
def test_what_not_every_program_shows_does_not_replace_the_text(last: bytes) -> None:
    """Else a sender could show the text, and have the filter read something else."""
    body = parse_mail(multi(b"Content-Type: text/plain\n\nprize", last, kind=b"alternative")).body
    assert b"prize" in body.split()


def test_an_unseen_alternative_takes_no_room() -> None:
    """Words of a part that is not shown cannot push the page beyond the limits."""
    page = PAGE + b"<p>prize"
    ham = b"Content-Type: text/plain\n\n" + b"lunch " * 9000
    for limits in (Limits(), Limits(text=1000)):
        mail = parse_mail(multi(ham, page, kind=b"alternative"), limits)
        assert mail.body == b" prize"
        assert mail.notes == ()


def test_alternatives_do_not_hide_other_parts() -> None:
    alternative = (
        multi(HAM, PAGE + b"<p>prize", kind=b"alternative").replace(b"--b", b"--c").replace(b'"b"', b'"c"')
    )
    raw = multi(b"\nbefore", alternative, b"\nafter")
    assert parse_mail(raw).body == b"before\n prize\nafter"


def test_parts_within_parts() -> None:
    assert parse_mail(multi(NESTED, b"\nz")).body == b"x\ny\nz"


def test_a_mail_within_a_mail() -> None:
    inner = b"Content-Type: message/rfc822\n\nSubject: inner\nContent-Type: text/html\n\n<b>deep</b>"
    mail = parse_mail(multi(inner))
    assert mail.body == b"deep"
    assert {b"message_rfc822", b"text_html"} <= set(mail.tags["mime"].split())
    assert mail.tags["subject"] == b""
    assert parse_mail(multi(b"\nSubject: x\n\ndigest", kind=b"digest")).body == b"digest"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (MULTI + b"--b\n\nx", "x"),
        (MULTI + b"--b  \n\nx\n--b--", "x"),
        (MULTI + b"--b\nno header\n--b--", "no header"),
        (MULTI + b"--b\n folded\n\nx\n--b--", "folded x"),
        (MULTI + b"--b\n\nx\n--bb\ny\n--b--\nz", "x --bb y"),
        (MULTI + b"--bb\ny\n--b\n\nx\n--b--\nz", "x"),
        (MULTI + b"no boundary here", "no boundary here"),
        (b"Content-Type: multipart/mixed\n\n--b\n\nx", "--b x"),
        (b"Content-Type: multipart/mixed; boundary=\n\n--b\n\nx", "--b x"),
        (MULTI, ""),
        (MULTI + b"--b", ""),
        (MULTI + b"--b--", "--b--"),
    ],
)
def test_broken_multiparts(raw: bytes, expected: str) -> None:
    assert parse_mail(raw).body.decode().split() == expected.split()


def test_mime_words() -> None:
    raw = multi(b"Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\na", b"\nb")
    assert words(raw, "mime") == {
        *("multipart_mixed", "text_plain", "charset_utf_8", "encoding_7bit", "parts_4", "depth_1"),
    }
    assert "broken" in words(MULTI + b"x", "mime")
    assert "html_only" in words(b"Content-Type: text/html\n\nx", "mime")
    assert "html_only" not in words(multi(b"\na", b"Content-Type: text/html\n\nx"), "mime")


def test_image_only() -> None:
    image = b"Content-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lGODlh"
    assert "image_only" in words(multi(image), "mime")
    assert "image_only" in words(b"Content-Type: text/html\n\n<img src=x>", "mime")
    assert "image_only" not in words(multi(b"\n" + b"words " * 20, image), "mime")
    assert "image_only" not in words(b"Content-Type: text/html\n\nx", "mime")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            b'Content-Type: application/pdf; name="Your Invoice.pdf"',
            "type_application_pdf Your Invoice pdf ext_pdf",
        ),
        (b"Content-Disposition: attachment; filename=a_b.TXT", "type_text_plain a b TXT ext_txt"),
        (
            b"Content-Disposition: attachment; filename=invoice.pdf.exe",
            "type_text_plain invoice pdf exe ext_exe double_ext",
        ),
        (b"Content-Disposition: attachment", "type_text_plain"),
        (b"Content-Disposition: inline", ""),
        (b"Content-Type: application/octet-stream", "type_application_octet_stream"),
        (
            b"Content-Disposition: attachment; filename*=utf-8''caf%C3%A9.doc",
            "type_text_plain café doc ext_doc",
        ),
        (
            b'Content-Disposition: attachment; filename="=?utf-8?q?caf=C3=A9?=.doc"',
            "type_text_plain café doc ext_doc",
        ),
        (b"Content-Type: text/plain; name*0=ab; name*1=c.zip", "type_text_plain abc zip ext_zip"),
    ],
)
def test_file_words(head: bytes, expected: str) -> None:
    assert words(multi(b"\nx", head + b"\n\ny"), "file") == set(expected.split())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b" Text/HTML", (b"text", b"text_html", b"", b"", b"")),
        (b' text/plain; Charset="ISO-8859-1" ; name=a', (b"text", b"text_plain", b"ISO-8859-1", b"", b"a")),
        (b' multipart/mixed;\n\tboundary="a b;c"', (b"multipart", b"multipart_mixed", b"", b"a b;c", b"")),
        (b" text/plain; charset", (b"text", b"text_plain", b"", b"", b"")),
        (b' text/plain; name="open', (b"text", b"text_plain", b"", b"", b"open")),
        (b"/;;=;", (b"text", b"text_plain", b"", b"", b"")),
    ],
)
def test_content_types(value: bytes, expected: tuple[bytes, ...]) -> None:
    assert tuple(content_types[value]) == expected


def test_the_first_of_a_repeated_parameter_counts() -> None:
    assert parameters(b"a/b; name=x; name=y")[b"name"] == b"x"


@pytest.mark.parametrize(
    ("limits", "raw", "note", "body"),
    [
        (
            Limits(message=30),
            b"Subject: a\n\n" + b"hello " * 9,
            "only the first 30 bytes were read",
            b"hello hello hello ",
        ),
        (Limits(text=5), b"X: a\n\nhello world", "text beyond 5 bytes was left out", b"hello"),
        (
            Limits(text=5),
            multi(b"\nabc", b"\ndef", b"\nghi"),
            "text beyond 5 bytes was left out",
            b"abc\nde\n",
        ),
        (Limits(parts=3), multi(b"\na", b"\nb", b"\nc"), "parts beyond 3 were left out", b"a\nb"),
        (
            Limits(depth=1),
            multi(NESTED, b"\nb"),
            "parts within more than 1 others were left out",
            b"b",
        ),
        (Limits(words=2), b"X: a\n\none, two, three", "the body was cut at 2 words", b"one, two, "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_limits_are_kept_and_noted(limits: Limits, raw: bytes, note: str, body: bytes) -> None:
    mail = parse_mail(raw, limits)
    assert mail.notes == (note,)
    assert mail.body == body


def test_within_the_limits_there_are_no_notes() -> None:
    assert parse_mail(multi(b"\na", b"\nb"), Limits(parts=3, depth=1, text=2, message=200)).notes == ()


def test_a_note_is_made_once() -> None:
    long = b"X: " + b"a" * 9000 + b"\n\nb"
    assert parse_mail(multi(long, long)).notes == ("header lines were cut at 8,192 bytes",)


@pytest.mark.parametrize("encoding", ["base64 (a comment)", '"base64"', "BASE64"])
def test_a_transfer_encoding_with_a_comment_or_quotes(encoding: str) -> None:
    raw = f"Content-Type: text/plain\nContent-Transfer-Encoding: {encoding}\n\naGVsbG8=\n"
    assert parse_mail(raw.encode()).body == b"hello"


def test_a_mail_within_a_mail_may_be_encoded() -> None:
    inner = b64encode(b"Subject: x\n\ninside").decode()
    raw = f"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{inner}\n"
    assert parse_mail(raw.encode()).body == b"inside"


def test_a_page_that_states_its_own_character_set() -> None:
    page = '<html><META http-equiv=Content-Type content="text/html; charset=koi8-r"><p>привет</p>'
    raw = b"Content-Type: text/html\n\n" + page.encode("koi8-r")
    assert parse_mail(raw).body.decode().split() == ["привет"]
