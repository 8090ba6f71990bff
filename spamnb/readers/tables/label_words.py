"""Words that files use for spam and for ham, and what yes and no mean in which column."""

from __future__ import annotations

import re

# In order of preference, as `normal` writes them.
TEXT_NAMES = ["text", "message", "body", "sms", "content", "msg", "v2", "message_text", "sms_text"]
TEXT_NAMES += ["text_message", "email_text", "message_body", "full_text", "tweet", "comment", "email", "mail"]
LABEL_NAMES = ["label", "class", "category", "target", "is_spam", "isspam", "spam", "spam/ham", "spam_or_ham"]
LABEL_NAMES += ["v1", "type", "labels", "classification", "y"]
LABEL_NAMES += ["is_ham", "isham", "ham", "not_spam", "notspam", "legit"]


def normal(name: str) -> str:
    """A column's name for comparing.

    >>> normal(" Is-Spam ")
    'is_spam'
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


_SPAM = {"spam", "junk", "phishing", "smishing", "unsolicited", "scam", "fraud"}
_HAM = {"ham", "legit", "legitimate", "good", "ok", "normal"}
_HAM |= {"not spam", "notspam", "non spam", "nonspam", "no spam", "kein spam"}
MINUS, ZERO = frozenset({"-1", "-1.0"}), frozenset({"0", "0.0"})
_TRUE, _FALSE = {"1", "1.0", "+1", "true"}, {*ZERO, *MINUS, "false"}
_YES, _NO = {"yes", "y", "t"}, {"no", "n", "f"}  # where the name of the column is a question
_HAM_COLUMNS = {"ham", "notspam", "nonspam", "nospam", "keinspam", "legit", "legitimate"}
_NOT_LETTERS = re.compile(r"[^a-z]")


def known_label(label: str, column: str = "") -> str:
    """`spam`, `ham`, or "" for a word that says neither; yes and no count in a column named after one.

    >>> known_label(" Junk "), known_label("0"), known_label("yes"), known_label("yes", "is_spam")
    ('spam', 'ham', '', 'spam')
    >>> known_label("1", "is_ham"), known_label("no", "Not Spam?"), known_label("spam", "is_ham")
    ('ham', 'spam', 'spam')
    """
    if word := _by_word(label):
        return word
    flag = plain(label)
    ham = about_ham(column)
    asked = ham or "spam" in column.lower()
    if flag in _TRUE or (asked and flag in _YES):
        return "ham" if ham else "spam"
    if flag in _FALSE or (asked and flag in _NO):
        return "spam" if ham else "ham"
    return ""


def about_ham(column: str) -> bool:
    """Whether a column of this name says which messages are ham, so that 1 is ham there and 0 spam.

    >>> [about_ham(name) for name in ("is_ham", "Not-Spam", "legit", "spam", "ham_or_spam")]
    [True, True, True, False, False]
    """
    return _NOT_LETTERS.sub("", column.lower()).removeprefix("is") in _HAM_COLUMNS


def is_word(label: str) -> bool:
    """Whether it is a word for spam or ham as such, which 1 and yes are not."""
    return bool(_by_word(label))


def is_flag(label: str) -> bool:
    """Whether it is 1 or 0, true or false, yes or no."""
    return plain(label) in _TRUE | _FALSE | _YES | _NO


def plain(label: str) -> str:
    """A label for comparing.

    >>> plain(" True ")
    'true'
    """
    return label.strip().lower()


def _by_word(label: str) -> str:
    word = plain(label).replace("-", " ").replace("_", " ")
    return "spam" if word in _SPAM else "ham" if word in _HAM else ""
