"""Recognises usual names of text and label columns, and usual words for spam and ham."""

from __future__ import annotations

import re
import unicodedata

# In order of preference, as `normalize_name` writes them.
TEXT_NAMES = (
    *("text", "message", "body", "sms", "content", "msg", "v2", "message_text", "sms_text"),
    *("text_message", "email_text", "message_body", "full_text", "tweet", "comment", "email", "mail"),
    *("messages", "nachricht", "mensaje", "texto", "texte", "mensagem", "messaggio", "testo", "bericht"),
)
LABEL_NAMES = (
    *("label", "class", "category", "target", "is_spam", "isspam", "spam", "spam/ham", "spam_or_ham"),
    *("v1", "type", "labels", "classification", "y"),
    *("is_ham", "isham", "ham", "not_spam", "notspam", "legit"),
    *("ham/spam", "ham_or_spam", "class_label", "label_text", "label_num", "spam_label", "tag"),
    *("klasse", "kategorie", "etiqueta", "etiquette", "clase", "classe", "categoria", "categorie"),
)
PREDICTED_NAMES = ("verdict", "predicted", "prediction", "predicted_label", "pred", "y_pred")
# What programs write for a missing value; it counts as none beside words for spam and for ham.
MISSING = frozenset({"n/a", "na", "#n/a", "<na>", "nan", "null", "none", "\\n", "?", "-"})
MINUS_ONE, ZERO = frozenset({"-1", "-1.0"}), frozenset({"0", "0.0"})


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word.strip() for words in lists for word in words.split(","))


# Without accents and in lower case, with a blank for a dash or an underscore: see `_simplify`. A word stands
# here only if it means the same in every data set: promo, ads, positive, urgent or unknown do not.
_SPAM = _words(
    "spam, spams, spammy, junk, junk mail, junk email, junk e mail, junkmail, junkemail, phishing, phish",
    "smishing, vishing, scam, scams, fraud, fraudulent, fake, bogus, hoax, bad, malicious, malware, unsafe",
    "unsolicited, unwanted, undesired, illegitimate",
    "betrug, unerwunscht, mull",  # German
    "pourriel, indesirable, arnaque, fraude, hameconnage",  # French
    "basura, correo basura, no deseado, correo no deseado, estafa, fraudulento",  # Spanish
    "lixo, golpe, indesejado, indesejada, nao desejado",  # Portuguese
    "indesiderato, indesiderata, spazzatura, truffa, frode",  # Italian
    "ongewenst, oplichting, skrappost, oszustwo, istenmeyen",  # Dutch, Swedish, Polish, Turkish
    "спам, 垃圾, 垃圾邮件, 垃圾短信, 诈骗, スパム, 迷惑メール, 스팸",
)
_HAM = _words(
    "ham, hams, legit, legitimate, good, ok, okay, normal, clean, genuine, authentic, real, wanted, desired",
    "valid, safe, benign, solicited, inbox",
    "erwunscht, legitim, echt, gut",
    "legitime, souhaite, desire, authentique",
    "legitimo, deseado, valido, autentico",
    "desejado, desejada, legittimo, legittima, desiderato, gewenst, legitiem",
    "正常, 正常邮件, 正常短信, 정상, ハム",
)
_NEGATIONS = (
    *("not", "not a", "non", "no", "no es", "kein", "keine", "nicht", "pas", "pas de", "nao"),
    *("geen", "не"),
)
_JOINED = ("not", "non", "no")  # notspam
_CHAT = {"ok", "okay", "good", "bad", "gut", "real", "normal"}  # a message may be no more than that
_COMMON = _CHAT | {"clean", "valid", "safe", "wanted", "fake", "inbox"}  # in columns of any kind
_TRUE = {"1", "1.0", "+1", "true", "wahr", "vrai", "verdadero", "verdadeiro", "vero"}
_FALSE = {*ZERO, *MINUS_ONE, "false", "falsch", "faux", "falso"}
_YES = {"yes", "y", "t", "ja", "j", "oui", "o", "si", "s", "sim"}  # where the column's name is a question
_NO = {"no", "n", "f", "nein", "non", "nao", "nee"}
_NOUN = re.compile(r" (?:e ?mail|mail|message|sms|text|nachricht|post)s?$")  # phishing email
_NOT_WORDS = re.compile(r"[^\w]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


def normalize_name(name: str) -> str:
    """Writes the name of a column in one spelling, for comparing.

    >>> normalize_name(" Is-Spam "), normalize_name("Étiquette")
    ('is_spam', 'etiquette')
    """
    return _without_accents(name.strip().lower()).replace(" ", "_").replace("-", "_")


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
    flag, about = _without_accents(normalize_label(label)), _column_meaning(column)
    if flag in _TRUE or (about and flag in _YES):
        return about or "spam"
    if flag in _FALSE or (about and flag in _NO):
        return "spam" if about == "ham" else "ham"
    return ""


def is_ham_column(column: str) -> bool:
    """Returns whether a column of this name marks ham, so that 1 means ham and 0 means spam.

    >>> [is_ham_column(name) for name in ("is_ham", "Not-Spam", "legit", "spam", "ham_or_spam")]
    [True, True, True, False, False]
    """
    return _column_meaning(column) == "ham"


def is_label_name(name: str) -> bool:
    """Returns whether a column of this name usually holds labels.

    >>> [is_label_name(name) for name in ("Category", "is_fraud", "Phishing", "is_valid", "valid", "month")]
    [True, True, True, True, False, False]
    """
    normal = normalize_name(name)
    return normal in LABEL_NAMES or _names_question(normal)


def _names_question(normal: str) -> bool:
    """Returns whether a name asks for spam or ham: is_fraud, phishing; not a word for anything, as valid."""
    asks, word = normal.startswith("is"), _column_word(normal)
    return bool(_by_word(word)) and (asks or word not in _COMMON)


def is_class_word(label: str) -> bool:
    """Returns whether a label is a word for spam or ham, which 1 and yes are not."""
    return bool(_by_word(label))


def is_spam_word(label: str) -> bool:
    """Returns whether a label is a word for spam, which 1 and yes are not."""
    return _by_word(label) == "spam"


def is_certain_word(label: str) -> bool:
    """Returns whether a label is a word for spam or ham that columns of other kinds do not hold.

    >>> [is_certain_word(word) for word in ("spam", "legit", "valid", "ok", "1")]
    [True, True, False, False, False]
    """
    return is_class_word(label) and _NOUN.sub("", _simplify(label)) not in _COMMON


def is_chat_word(label: str) -> bool:
    """Returns whether a word for spam or ham may be a whole message, such as ok."""
    return _simplify(label) in _CHAT


def is_flag(label: str) -> bool:
    """Returns whether a label is 1 or 0, true or false, yes or no."""
    return _without_accents(normalize_label(label)) in _TRUE | _FALSE | _YES | _NO


def spam_of_two(first: str, second: str) -> str:
    """Returns which of two labels means spam, "" if no word tells; one known word settles the other label.

    >>> spam_of_two("junk", "wanted"), spam_of_two("legit", "x"), spam_of_two("0", "1"), spam_of_two("1", "2")
    ('junk', 'x', '1', '')
    """
    words = [known_label(first), known_label(second)]
    if not all(words):
        words = [_by_word(first), _by_word(second)]  # 1 alone settles nothing: 2 may be ham or spam
    if words[0] == words[1]:
        return ""
    return first if words[0] == "spam" or words[1] == "ham" else second


def _by_word(label: str) -> str:
    word = _simplify(label)
    if word not in _SPAM:
        word = _NOUN.sub("", word)
    if word in _SPAM or word in _HAM:
        return "spam" if word in _SPAM else "ham"
    for negation in _NEGATIONS:
        if not word.startswith(negation):
            continue
        rest = word.removeprefix(negation)
        if rest.strip() in _SPAM and (rest.startswith(" ") or negation in _JOINED):
            return "ham"
        if rest.startswith(" ") and rest.strip() in _HAM:
            return "spam"
    return ""


def is_label_question(column: str) -> bool:
    """Returns whether 1 and yes have a meaning in a column of this name, as in is_spam and ham."""
    return bool(_column_meaning(column))


def _column_meaning(column: str) -> str:
    """Returns what 1 means in a column of this name: `spam`, `ham`, or "" if its name does not say."""
    word = _column_word(normalize_name(column))
    return _by_word(word) or ("spam" if "spam" in word else "")


def _column_word(normal: str) -> str:
    """Returns `spam` for the names is_spam, isspam and Is Spam?."""
    word = _NOT_WORDS.sub(" ", normal).replace("_", " ").strip()
    rest = word.removeprefix("is").strip()
    return rest if _by_word(rest) else word


def _simplify(label: str) -> str:
    return _without_accents(normalize_label(label)).replace("-", " ").replace("_", " ")


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", letters)
