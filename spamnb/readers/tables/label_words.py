"""Recognises usual names of text and label columns, and usual words for spam and ham."""

from __future__ import annotations

import re

# In order of preference, as `normalize_name` writes them.
TEXT_NAMES = (
    *("text", "message", "body", "sms", "content", "msg", "v2", "message_text", "sms_text"),
    *("text_message", "email_text", "message_body", "full_text", "tweet", "comment", "email", "mail"),
)
LABEL_NAMES = (
    *("label", "class", "category", "target", "is_spam", "isspam", "spam", "spam/ham", "spam_or_ham"),
    *("v1", "type", "labels", "classification", "y"),
    *("is_ham", "isham", "ham", "not_spam", "notspam", "legit"),
)
MINUS_ONE, ZERO = frozenset({"-1", "-1.0"}), frozenset({"0", "0.0"})
_SPAM = {"spam", "junk", "phishing", "smishing", "unsolicited", "scam", "fraud"}
_HAM = {
    *("ham", "legit", "legitimate", "good", "ok", "normal"),
    *("not spam", "notspam", "non spam", "nonspam", "no spam", "kein spam"),
}
_TRUE, _FALSE = {"1", "1.0", "+1", "true"}, {*ZERO, *MINUS_ONE, "false"}
_YES, _NO = {"yes", "y", "t"}, {"no", "n", "f"}  # where the name of the column is a question
_HAM_COLUMNS = {"ham", "notspam", "nonspam", "nospam", "keinspam", "legit", "legitimate"}
_NOT_LETTERS = re.compile(r"[^a-z]")


def normalize_name(name: str) -> str:
    """Writes the name of a column in one spelling, for comparing.

    >>> normalize_name(" Is-Spam ")
    'is_spam'
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def normalize_label(label: str) -> str:
    """Writes a label in one spelling, for comparing.

    >>> normalize_label(" True ")
    'true'
    """
    return label.strip().lower()


def known_label(label: str, column: str = "") -> str:
    """Returns `spam`, `ham`, or "" for another word; yes and no count in a column named after spam or ham.

    >>> known_label(" Junk "), known_label("0"), known_label("yes"), known_label("yes", "is_spam")
    ('spam', 'ham', '', 'spam')
    >>> known_label("1", "is_ham"), known_label("no", "Not Spam?"), known_label("spam", "is_ham")
    ('ham', 'spam', 'spam')
    """
    if word := _by_word(label):
        return word
    flag = normalize_label(label)
    about_ham = is_ham_column(column)
    is_question = about_ham or "spam" in column.lower()
    if flag in _TRUE or (is_question and flag in _YES):
        return "ham" if about_ham else "spam"
    if flag in _FALSE or (is_question and flag in _NO):
        return "spam" if about_ham else "ham"
    return ""


def is_ham_column(column: str) -> bool:
    """Returns whether a column of this name marks ham, so that 1 means ham and 0 means spam.

    >>> [is_ham_column(name) for name in ("is_ham", "Not-Spam", "legit", "spam", "ham_or_spam")]
    [True, True, True, False, False]
    """
    return _NOT_LETTERS.sub("", column.lower()).removeprefix("is") in _HAM_COLUMNS


def is_class_word(label: str) -> bool:
    """Returns whether a label is a word for spam or ham, which 1 and yes are not."""
    return bool(_by_word(label))


def is_flag(label: str) -> bool:
    """Returns whether a label is 1 or 0, true or false, yes or no."""
    return normalize_label(label) in _TRUE | _FALSE | _YES | _NO


def _by_word(label: str) -> str:
    word = normalize_label(label).replace("-", " ").replace("_", " ")
    return "spam" if word in _SPAM else "ham" if word in _HAM else ""
