"""Character sets, encoded words and base64, with the standard library as witness where it has an answer."""

from __future__ import annotations

import encodings
from base64 import b64encode
from email.header import Header, decode_header, make_header

import pytest
from hypothesis import given, strategies as st

from spamnb.mail.charset import decode_words, from_base64, to_utf8

TEXTS = {
    "utf-8": "Äpfel – 日本語 €",
    "us-ascii": "plain",
    "iso-8859-1": "Äpfel für Jürgen",
    "ISO-8859-15": "10 €",
    "windows-1251": "привет",
    "koi8-r": "привет",
    "iso-2022-jp": "日本語のメール",
    "shift_jis": "日本語のメール",
    "gb2312": "中文邮件",
    "big5": "中文郵件",
    "euc-kr": "한국어 메일",
    "utf-16": "Äpfel 日本",
    "utf-7": "Äpfel 日本",
    "x-sjis": "日本",
    '"utf-8"': "Äpfel",
}


@pytest.mark.parametrize(("charset", "text"), TEXTS.items())
def test_declared_character_sets(charset: str, text: str) -> None:
    name = charset.strip('"').removeprefix("x-")
    assert to_utf8(text.encode(name), charset.encode()).decode() == text


@pytest.mark.parametrize(
    "charset", [b"", b"klingon", b"us-ascii", b"\xff", b"a" * 5000, b"../../etc", b"utf-8 "]
)
def test_unknown_character_sets_are_utf8_or_cp1252(charset: bytes) -> None:
    assert to_utf8("é – 日本".encode(), charset).decode() == "é – 日本"
    if charset != b"utf-8 ":
        assert to_utf8(b"caf\xe9 \x93now\x94 \x80", charset).decode() == "café “now” €"


@pytest.mark.parametrize(
    "charset",
    [
        "punycode",
        "idna",
        "unicode_escape",
        "raw-unicode-escape",
        "rot13",
        "zlib",
        "bz2",
        "hex",
        "base64",
        "uu",
        "cp037",
    ],
)
def test_codecs_that_are_no_character_sets_of_mail_are_not_used(charset: str) -> None:
    assert to_utf8(rb"caf\x41 \u0041 xn--a 414243", charset.encode()) == rb"caf\x41 \u0041 xn--a 414243"


def test_unknown_names_are_not_remembered_by_python() -> None:
    before = len(encodings._cache)
    for i in range(200):
        to_utf8(b"\xe9", b"no-such-charset-%d" % i)
    assert len(encodings._cache) == before


def test_latin_1_is_read_as_browsers_read_it() -> None:
    assert to_utf8(b"\x93hi\x94", b"iso-8859-1").decode() == "“hi”"


def test_broken_bytes_never_fail() -> None:
    assert to_utf8("日本語".encode() * 9 + b"a\xffb", b"utf-8").decode() == "日本語" * 9 + "a\ufffdb"
    assert to_utf8(b"a\xffb", b"utf-8").decode() == "aÿb"  # wrongly declared
    assert to_utf8("日本語日本".encode()[:-1]).decode() == "日本語日"
    assert to_utf8(b"+2AA-", b"utf-7").decode() == "?"  # half of a pair
    assert to_utf8(b"\x81", b"cp1252").decode() == "\ufffd"


@given(
    st.binary(max_size=60),
    st.sampled_from(sorted(set(encodings.aliases.aliases.values()))) | st.text(max_size=12),
)
def test_any_bytes_in_any_character_set_become_utf8(data: bytes, charset: str) -> None:
    to_utf8(data, charset.encode("utf-8", "surrogatepass")).decode()


@given(st.text(max_size=60), st.sampled_from(["utf-8", "utf-16", "utf-7", "gb18030"]))
def test_what_was_encoded_is_decoded(text: str, charset: str) -> None:
    clean = text.encode("utf-8", "ignore").decode()
    assert to_utf8(clean.encode(charset), charset.encode()).decode() == clean


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"plain", "plain"),
        (b"=?utf-8?q?caf=C3=A9?=", "café"),
        (b"=?UTF-8?B?Y2Fmw6k=?=", "café"),
        (b"=?utf-8*en?q?caf=C3=A9?=", "café"),
        (b"=?utf-8?q?a_b?= =?utf-8?q?c?=", "a bc"),
        (b"=?utf-8?q?caf=C3?= \n =?utf-8?q?=A9?=", "café"),
        (b"=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"),
        (b" =?iso-8859-1?q?=E9?==?utf-8?q?=C3=A9?=", " éé"),
        (b"=?utf-8?b?Y2Fmw6?=", "caf"),
        (b"=?utf-8?b?====?=", ""),
        (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
        (b"=?utf-8?q?a", "=?utf-8?q?a"),
        (b"caf\xe9 =?utf-8?q?=C3=A9?= \xe9", "café é é"),
        (b"=?klingon?q?caf=E9?=", "café"),
    ],
)
def test_encoded_words(value: bytes, expected: str) -> None:
    assert decode_words(value).decode() == expected


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=80))
def test_encoded_words_of_the_standard_library(text: str) -> None:
    raw = Header(text, "utf-8").encode()
    expected = str(make_header(decode_header(raw)))
    assert decode_words(raw.encode()).decode() == expected


@given(st.binary(max_size=80))
def test_any_header_is_decoded(value: bytes) -> None:
    decode_words(value).decode()
    decode_words(b"=?utf-8?q?" + value + b"?=").decode()
    decode_words(b"=?utf-7?b?" + value + b"?= =?utf-7?q?" + value).decode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"aGVsbG8=", b"hello"),
        (b"aGVsbG8", b"hello"),
        (b"aGVs\nbG8=\n", b"hello"),
        (b"aGVs!*bG8=", b"hello"),
        (b"aGVsbG8aa", b"hello\x1a"),
        (b"A", b""),
        (b"=", b""),
        (b"", b""),
        (b"\xff\xfe", b""),
    ],
)
def test_base64_is_decoded_as_far_as_it_can_be(data: bytes, expected: bytes) -> None:
    assert from_base64(data) == expected


@given(st.binary(max_size=80), st.integers(0, 120))
def test_cut_base64_is_a_prefix(data: bytes, size: int) -> None:
    whole = from_base64(b64encode(data))
    assert whole == data
    assert data.startswith(from_base64(b64encode(data)[:size]))


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("windows-874", "cp874", "สวัสดี"),
        ("iso-8859-8-i", "iso8859-8", "שלום"),
        ("koi8-ru", "koi8-u", "привет"),
        ("x-windows-949", "cp949", "안녕"),
        ("gb_2312-80", "gb2312", "你好"),
        ("x-x-big5", "big5", "你好"),
    ],
)
def test_names_that_mail_programs_use(charset: str, codec: str, text: str) -> None:
    assert to_utf8(text.encode(codec), charset.encode()).decode() == text
