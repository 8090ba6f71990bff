"""The digests of messages: golden values that may never change, and the plain Python twin."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.message_digest import message_digests
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from tests.reference import digests as twin

pytestmark = pytest.mark.filterwarnings("ignore:.* skipped .*no text")  # they are left out alike

# FROZEN. Every model file holds such digests: if one of these numbers changes, a model no longer recognizes
# the messages that it has learned. Never edit a value.
GOLDEN: dict[bytes, int] = {
    b"": 0,
    b"a": 0x59AEEB70A4F49713,
    b"Win a prize": 0x090E0062EF447587,
    b"12345678": 0x95A8CF534C586AE8,  # exactly one block
    b"123456789": 0x3624D8B818907C0D,
    b"x" * 100: 0x7B7FBC4FCB9E529B,
    "café £5 заявка 日本語テキスト".encode(): 0x9F4054F605B8050A,
    b"\xff\xfe": 0x758A19BA4FBF0C99,
    b"Your prize waits,\r\npay  at http://a.example\n": 0x26C6178B24EE191E,
}
MAIL = {"subject": b"win a prize", "from": b"a_b_example a b_example", "url": b""}
GOLDEN_MAIL = 0x13CA6F7791289ED5
GOLDEN_ROW = 0xA60E97B9ACB8B2B5

# Long enough for several blocks of 8 bytes, with much white space.
texts = st.binary(max_size=40) | st.text("ab \t\n\r\0", max_size=40).map(str.encode)
messages = st.lists(texts, max_size=8)


def digest(text: str | bytes) -> int:
    return int(message_digests(Texts.of([text]))[0])


def mails(bodies: list[bytes], subjects: list[bytes], urls: list[bytes]) -> Texts:
    plain = Texts.of(bodies)
    tags = {"subject": Texts.of(subjects), "url": Texts.of(urls)}
    return Texts(plain.data, plain.starts, plain.ends, MappingProxyType(tags))


@pytest.mark.parametrize("text", GOLDEN, ids=lambda text: f"{text[:12]!r}*{len(text)}")
def test_golden_values(text: bytes) -> None:
    assert f"{digest(text):#018x}" == f"{GOLDEN[text]:#018x}"


def test_the_golden_value_of_a_mail() -> None:
    body = Texts.of([b"Your prize waits.\n"])
    tags = {tag: Texts.of([words]) for tag, words in MAIL.items()}
    mail = Texts(body.data, body.starts, body.ends, tags)
    assert f"{int(message_digests(mail)[0]):#018x}" == f"{GOLDEN_MAIL:#018x}"


def test_the_golden_value_of_a_row_with_columns() -> None:
    columns = {"from": ["x"]}, {"size": np.array([1.5])}
    assert f"{int(message_digests(Texts.of(['win']), *columns)[0]):#018x}" == f"{GOLDEN_ROW:#018x}"


@given(messages)
def test_the_twin_agrees(bodies: list[bytes]) -> None:
    assert message_digests(Texts.of(bodies)).tolist() == [twin.message_digest(body) for body in bodies]


@given(st.lists(st.tuples(texts, texts, texts), max_size=6))
def test_the_twin_agrees_on_mail(rows: list[tuple[bytes, bytes, bytes]]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    expected = [twin.message_digest(body, {"subject": s, "url": u}) for body, s, u in rows]
    assert message_digests(mails(*columns)).tolist() == expected


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"\r\n")))
def test_lines_of_a_file_are_the_texts_between_their_ends(data: bytes) -> None:
    parts = Texts.lines(data)
    assert message_digests(parts).tolist() == [twin.message_digest(text) for text in parts.tolist()]


def test_white_space_makes_no_difference() -> None:
    same = ["Win a prize", "Win  a\tprize", "\r\nWin a\r\nprize \n", "Win\x00a\x1fprize"]
    assert len({digest(text) for text in same}) == 1


def test_capitals_punctuation_and_order_do() -> None:
    different = ["Win a prize", "win a prize", "Win a prize!", "a prize Win", "Winaprize", "Win a prizes", ""]
    assert len({digest(text) for text in different}) == len(different)


def test_blocks_do_not_change_places() -> None:
    different = ["12345678abcdefgh", "abcdefgh12345678", "12345678", "abcdefgh", "\x7f" * 8, "\x7f" * 16]
    assert len({digest(text) for text in different}) == len(different)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    pairs = [f"{a} {b}" for a in letters for b in letters]
    assert len({digest(pair) for pair in pairs}) == len(pairs)


def test_what_stands_beside_a_message_makes_no_difference() -> None:
    bodies = [b"win it", b"", b"see you at six", b"  ", b"x" * 100]
    assert message_digests(Texts.of(bodies)).tolist() == [digest(body) for body in bodies]
    both = mails([b"one", b"two"], [b"hi", b""], [b"", b"example_com"])
    alone = [mails([b], [s], [u]) for b, s, u in ((b"one", b"hi", b""), (b"two", b"", b"example_com"))]
    assert message_digests(both).tolist() == [int(message_digests(mail)[0]) for mail in alone]


def test_tags_tell_mails_apart() -> None:
    results = [
        mails([body], [subject], [url])
        for body, subject, url in ((b"", b"hi", b""), (b"", b"", b"hi"), (b"hi", b"", b""), (b"", b"", b""))
    ]
    assert len({int(message_digests(mail)[0]) for mail in results}) == 4


def test_columns_tell_messages_apart() -> None:
    columns = {"c": ["a", "b", "a"]}, {"n": np.array([1.0, 1.0, 2.0])}
    assert len(set(message_digests(Texts.of(["x", "x", "x"]), *columns).tolist())) == 3


CONFIGS = [
    FeatureConfig(),
    FeatureConfig.plain(),
    FeatureConfig.usual(mail=True),
    FeatureConfig(ngrams=3, chars=3),
    FeatureConfig(shapes=False),
    FeatureConfig(deobfuscate=False),
]


@pytest.mark.parametrize("features", CONFIGS, ids=repr)
def test_features_make_no_difference(features: FeatureConfig) -> None:
    """Models that read messages in different ways remember them by the same digests."""
    rows, labels = ["fr\u0435e c4sh", "f r e e", "WIN 100 pounds!!", ""], ["spam", "spam", "spam", "ham"]
    plain = SpamModel(FeatureConfig.plain()).learn(rows, labels).seen_messages
    other = SpamModel(features).learn(rows, labels).seen_messages
    assert plain is not None
    assert other is not None
    assert {label: digests.tolist() for label, digests in other.exact.items()} == {
        label: digests.tolist() for label, digests in plain.exact.items()
    }


@given(st.lists(st.text("aA1! é", max_size=12), min_size=1, max_size=8), st.sampled_from(CONFIGS))
def test_equal_digests_mean_equal_counts(rows: list[str], features: FeatureConfig) -> None:
    """But for white space, which the length of a message and its characters count."""
    folded = [" ".join(row.split()) for row in rows]
    digests, model = message_digests(Texts.of(folded)).tolist(), SpamModel(features)
    by_digest: dict[int, list[int]] = {}
    for text, value in zip(folded, digests, strict=True):
        keys = np.sort(extract(Texts.of([text]), model.features).keys).tolist()
        assert by_digest.setdefault(value, keys) == keys
