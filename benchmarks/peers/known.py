"""Which peers there are for which messages, and which of them are installed."""

from __future__ import annotations

from typing import TypeVar

from benchmarks.peers.base import Peer, Tool
from benchmarks.peers.bogofilter import Bogofilter
from benchmarks.peers.fasttext import FastText
from benchmarks.peers.river import River
from benchmarks.peers.sklearn import Bernoulli, CharSvc, Multinomial, WordSvc
from benchmarks.peers.spamprobe import Spamprobe

SCIKIT_LEARN: tuple[type[Peer], ...] = (CharSvc, WordSvc, Bernoulli, Multinomial)
SMS: tuple[type[Peer], ...] = (*SCIKIT_LEARN, FastText, River, Bogofilter, Spamprobe)
MAIL: tuple[type[Peer], ...] = (CharSvc, Bogofilter, Spamprobe)
TOOLS: tuple[type[Tool], ...] = (Bogofilter, River, Spamprobe, FastText)

P = TypeVar("P", bound=Peer)


def present(kinds: tuple[type[P], ...]) -> list[type[P]]:
    """Those that are installed; the others are named in one line each."""
    for kind in kinds:
        if kind.version() is None:
            print(f"{kind.package} is not installed: {kind.name} is left out")
    return [kind for kind in kinds if kind.version() is not None]
