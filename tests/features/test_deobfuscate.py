"""Disguised words of whole batches against the twin, which takes one message step by step."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from spamnb.features import extract
from spamnb.features.hidden_letters import _composed, reveal_hidden_letters
from spamnb.features.lookalikes import _WORD, CLOSE, LETTERS, LOOKALIKES, fold_lookalikes
from spamnb.features.unspaced_scripts import unspaced_streams
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from spamnb.training.trainer import train
from tests.helpers.texts import batches, keyed, sms_corpus, spelled, tokens_of
from tests.reference import disguises, keys, tokens

DEFAULT = FeatureConfig()
ONE = FeatureConfig(ngrams=1)

tricky = st.text(
    st.sampled_from("aeewxABF013457829 .-_@$!\n\u200b\u0301\u0336аеоЖΑο\uff46\uff10ⓕᴀ🅰日本ไท£é"), max_size=30
)
spaces = st.lists(st.sampled_from("a b x e 1 33 ab . - _ @ $ \t\n \u00b7"), max_size=25).map("".join)


def check(given_messages: list[str | bytes], config: FeatureConfig) -> None:
    batch = extract(Texts.of(given_messages), config)
    expected = [tokens.tokens(m, config) for m in given_messages]
    assert spelled(batch) == [[tokens.shown(t) for t in message] for message in expected]
    assert keyed(batch) == [[keys.token_key(t) for t in message] for message in expected]


@given(st.lists(tricky | spaces, max_size=5))
@example(["a@b@c", "f r e e", "", "$a", "@"])
@example(["w i n f-r-e-e n o w x", "a.b.c-d-e.f.g", "a\nb\nc\nd", "a", "b", "c", "d"])
@example(["İ n f o 1", "ΑΣ fr33"])
def test_tricky_texts(given_messages: list[str | bytes]) -> None:
    check(given_messages, DEFAULT)


@given(batches)
def test_any_texts_and_bytes(given_messages: list[str | bytes]) -> None:
    check(given_messages, FeatureConfig(ngrams=2, patterns=(("x", "x"),)))


def test_the_sms_corpus() -> None:
    _, texts = sms_corpus()
    check(list(texts[::7]), ONE)


def words_of(text: str) -> list[str]:
    return [t for t in tokens_of([text], ONE)[0] if not t.startswith(("shape:", "char:"))]


def undone(text: str) -> set[str]:
    return {
        t.removeprefix("shape:") for t in tokens_of([text], ONE)[0] if t.startswith("shape:") and "=" not in t
    }


@pytest.mark.parametrize(
    ("text", "words", "kinds"),
    [
        ("Fr\u0435\u0435 \u0440rize", ["free", "prize"], {"mixed-script"}),
        ("f\u200bre\u00ade p\u0336r\u0336ize", ["free", "prize"], {"zero-width"}),
        (
            "\uff26\uff52\uff45\uff45 \U0001d429\U0001d42b\U0001d422ze \u24d5\u24e1\u24d4\u24d4",
            ["free", "prize", "free"],
            {"fancy"},
        ),
        ("f r e e p-r-i-z-e", ["free", "prize"], {"spaced"}),
        ("win_a_free_prize f_r_e_e", ["win", "a", "free", "prize", "free"], {"spaced"}),
        ("free\u3164prize\uffa0now", ["free", "prize", "now"], {"zero-width"}),
        ("fr33 pr1ze", ["fr33", "pr1ze", "free", "prize", "prlze"], {"leet"}),
        ("ca$h me@example.com", ["ca", "h", "me", "example", "com", "cash"], {"leet"}),
        ("freeeee www xxx", ["freeeee", "www", "xxx", "fre", "free"], set()),
        (
            "b4 gr8 2day 4get 150p 3mins u r a",
            ["b4", "gr8", "2day", "4get", "150p", "3mins", "u", "r", "a"],
            set(),
        ),
        ("cafe\u0301 nai\u0308ve", ["café", "naïve"], set()),
    ],
)
def test_what_becomes_of_words(text: str, words: list[str], kinds: set[str]) -> None:
    assert words_of(text) == words
    assert undone(text) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "Привет, а он сор носит, у нас ТОВАР http://example.com/x",
        "Ура",
        "Καλημέρα, ο Νίκος και α",
        "नमस्ते क्\u200dष दुनिया",
        "می\u200cخواهم",
        "ภาษาไทย\u200bคำ",
        "👨\u200d👩\u200d👧 ❤\ufe0f",
        "İstanbul ılık ağaç",
        "m² 5½ ™ №5",
    ],
)
def test_honest_text_of_other_scripts_stays(text: str) -> None:
    assert reveal_hidden_letters(text) == (text, [])


def test_russian_words_with_a_latin_letter_become_russian() -> None:
    assert fold_lookalikes("cкидкa") == "скидка"


def test_plain_tokens_know_no_disguise() -> None:
    text = "f\u200bree fr33 f r e e \uff26\uff52"
    assert tokens_of([text], FeatureConfig.plain()) == [tokens.words(text)]


def test_doubles_are_single_letters_of_the_right_case() -> None:
    for foreign, latin in LOOKALIKES.items():
        assert len(foreign) == len(latin) == 1
        assert latin.isascii()
        assert foreign.isupper() == latin.isupper()
    assert not set(CLOSE) & set(LOOKALIKES.values())


def test_thai_is_read_by_characters() -> None:
    [words] = tokens_of(["\u0e44\u0e17\u0e22\u0e44\u0e17\u0e22 ok"], ONE)
    assert {"char:\u0e44\u0e17", "char:\u0e22 o"} <= set(words)
    assert not any(t.startswith("char:") for t in tokens_of(["ok \u65e5 a longer message in Latin"], ONE)[0])


def test_a_disguised_subject() -> None:
    texts = Texts(b"x", np.array([0]), np.array([1]), {"subject": Texts.of(["Fr\u0435e c\u200bash"])})
    assert {"subject:free", "subject:cash"} <= set(spelled(extract(texts, ONE))[0])
    assert "subject:free" not in spelled(extract(texts, FeatureConfig.plain()))[0]


def test_a_disguised_spam_is_spam() -> None:
    spam, ham = (
        ["win a free prize now", "claim your free cash"] * 6,
        ["see you at home", "call me later ok"] * 6,
    )
    model = train(spam + ham, ["spam"] * 12 + ["ham"] * 12)
    for text in (
        "W\u0456n a fr\u0435\u0435 pr\u0456z\u0435",
        "f\u200bree c\u200bash",
        "f r e e c-a-s-h",
        "fr33 c4sh",
    ):
        assert model.predict([text]) == ["spam"]
        parts = model.explain(text)
        assert np.isclose(parts.bias + sum(p.log_odds for p in parts.evidence), parts.log_odds)


def test_the_twin_agrees_about_the_tables() -> None:
    for text in ("ᴀʙᴄ 🅰🅱 🅐 ⅷ ⑴ ②", "\u1d43\u1d47 \u2102"):
        assert reveal_hidden_letters(text)[0] == disguises.undressed(text)


def test_of_mail_only_pairs_at_the_beginning_count() -> None:
    text = "".join(chr(0x4E00 + i) for i in range(300))
    results = {bool(mail): unspaced_streams(Texts.of([text]), mail) for mail in (False, True)}
    spelled = {
        mail: [t for s in streams for t in s.spell(np.arange(len(s.rows))).tolist()]
        for mail, streams in results.items()
    }
    assert spelled[True] == [f"char:{text[i : i + 2]}" for i in range(99)]
    assert len(spelled[False]) == sum(300 - n + 1 for n in range(2, 7))


@given(
    st.text(st.sampled_from("ae \u0301\u0316\u0327\u05b0\u1100\u1161\u212b\u00e9\u0e01\u0e31"), max_size=60)
)
def test_composing_in_pieces_is_composing(text: str) -> None:
    assert _composed(text) == unicodedata.normalize("NFC", text)


@given(tricky)
@example("aaaa\u0436aa aaa")
def test_disguised_words_begin_where_words_begin(text: str) -> None:
    """The pattern that goes through a long word only once finds what the plain one finds."""
    plain = re.compile(f"[A-Za-z0-9_{LETTERS}]*[{LETTERS}][A-Za-z0-9_{LETTERS}]*")
    assert [m.span() for m in _WORD.finditer(text)] == [m.span() for m in plain.finditer(text)]
