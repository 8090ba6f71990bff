"""Decides which tokens may stand in a published model: no numbers, addresses or names of persons.

A word is taken for a name if the census lists it as a first or last name and it is written with a capital
where the word before it is not (mark and Mark, will and Will), or is never seen in such a place at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spamnb.features.batch import OTHER, SHAPE

# Tags about how a mail is made; the others (hosts, senders, lists) are addresses.
STRUCTURE = frozenset({"subject", "html", "mime", "header", "mailer", "to"})
# What stands for the corpus and not for ham or spam: owners of the mailboxes, their lists and firms.
_CORPUS = """
enron ect hou hpl ees ena enronxgate corp jmason jm netnoteinc spamassassin taint ilug exmh razor freshrpms
xent fork zzzz zzzlist slashnull sourceforge linuxmidrange yyyy rpm satalk spamd newsisfree forteana egroups
qqqqqqqqqq nyaan kijitora sironeko mikeneko sabineko neko example test invalid
"""
CORPUS = frozenset(_CORPUS.split())
# Headers of servers and senders' software. Which of them a corpus has depends on its year and its collector:
# all public spam of 2026 has Authentication-Results, no ham of 2002 has.
_ON_THE_WAY = """
authentication_results dkim spf dmarc arc domainkey x list_unsubscribe received return_path delivered_to
envelope_to precedence sender errors_to resent mailing_list
"""
CHARSETS = ("charset_utf_8", "charset_us_ascii")  # the usual ones, by year
ON_THE_WAY = tuple(_ON_THE_WAY.split())
NAMES_FILE = Path(__file__).parent / "person_names.txt"
MOST_DIGITS = 3
_MIDDLE = re.compile(rb"\b[a-z]+ ([A-Za-z]{2,})\b")


@dataclass(frozen=True)
class Names:
    """Words that are names of persons in the texts at hand."""

    sure: frozenset[str]  # names in the messages written for spamnb
    listed: frozenset[str]  # names of the census, many of which are words too
    lower: Counter[str]
    capital: Counter[str]

    @classmethod
    def of(cls, sure: Iterable[str], listed: Iterable[str], texts: Iterable[bytes]) -> Names:
        lower, capital = Counter[str](), Counter[str]()
        for text in texts:
            for word in _MIDDLE.findall(text):
                spelled = word.decode()
                (lower if spelled.islower() else capital)[spelled.lower()] += not spelled.isupper()
        return cls(frozenset(sure), frozenset(listed), lower, capital)

    def __contains__(self, word: str) -> bool:
        return word in self.sure or (word in self.listed and self.capital[word] >= self.lower[word])


def person_names() -> set[str]:
    """The names of persons in the messages written for spamnb."""
    return set(NAMES_FILE.read_text(encoding="utf-8").split())


def census_names() -> set[str]:
    """First and last names of the US census of 1990, from the package `names` (needed to build only)."""
    from importlib.resources import files

    lists = ("dist.all.last", "dist.female.first", "dist.male.first")
    lines = [line for name in lists for line in files("names").joinpath(name).read_text().splitlines()]
    return {line.split()[0].lower() for line in lines if line.strip()}


def allowed(token: str, kind: int, names: Names) -> bool:
    """May this token be published?

    >>> none = Names.of([], [], [])
    >>> [allowed(t, 1, none) for t in ("free", "07123456789", "enron")], allowed("url:evil_com", 0, none)
    ([True, False, False], False)
    """
    if kind == SHAPE:
        return True
    if sum(c.isdigit() for c in token) > MOST_DIGITS or "@" in token:
        return False
    tag, colon, rest = token.partition(":") if kind == OTHER else ("", "", token)
    words = rest.split(" ")
    if any(word in names or word in CORPUS for word in words):
        return False
    return not colon or _structural(tag, rest)


def _structural(tag: str, rest: str) -> bool:
    """A tagged token that tells how a mail is made, or a word of a link's path."""
    if tag == "file":
        return rest.startswith(("type_", "ext_"))
    if tag == "from":
        return rest.endswith("_differs")
    if tag == "url":
        return "_" not in rest or rest in ("ip_host", "own_domain", "mixed_domains", "other_domains")
    if tag == "header":
        return not any(rest == name or rest.startswith(f"{name}_") for name in ON_THE_WAY)
    return tag in STRUCTURE and rest not in CHARSETS
