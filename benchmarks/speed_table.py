"""Prints the table of measured against wanted values, row by row, and writes it as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from benchmarks.intervals import ratio_interval
from benchmarks.results_page import between, table

Unit = Callable[[float], str]
Best = Callable[[Sequence[float]], float]


def seconds(value: float) -> str:
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    return f"{value * 1e3:.0f} ms"


def megabytes(value: float) -> str:
    return f"{value:.0f} MB"


class Table:
    """Rows of measured against wanted; remembers whether all are met.

    A target is compared with the best round. The page shows medians, and the typical ratio of a round.
    """

    def __init__(self) -> None:
        self.missed = 0
        self.rows: list[list[str]] = []
        print(f"{'measure':<44}{'spamnb':>11}{'peer':>11}{'ratio':>9}  wanted")

    def at_least(
        self, name: str, wanted: float | None, unit: Unit, ours: Sequence[float], peer: Sequence[float]
    ) -> None:
        """The peer's value is to be at least so many times ours; None where the peer does less work."""
        ratio = min(peer) / min(ours)
        aim = "no target" if wanted is None else f">= {wanted:g}x"
        verdict = self._verdict(
            name, [unit(min(ours)), unit(min(peer))], ratio, aim, ratio >= (wanted or 0.0)
        )
        self._keep(name, unit, ours, peer, (peer, ours), verdict)

    def at_most(
        self,
        name: str,
        wanted: float,
        unit: Unit,
        ours: Sequence[float],
        peer: Sequence[float],
        best: Best = min,
    ) -> None:
        """Ours is to be at most so many times the peer's value."""
        ratio = best(ours) / best(peer)
        verdict = self._verdict(
            name, [unit(best(ours)), unit(best(peer))], ratio, f"<= {wanted:g}x", ratio <= wanted
        )
        self._keep(name, unit, ours, peer, (ours, peer), verdict)

    def _verdict(self, name: str, values: list[str], ratio: float, wanted: str, good: bool) -> str:
        self.missed += not good
        state = "" if wanted == "no target" else "ok" if good else "MISSED"
        line = f"{name:<44}{values[0]:>11}{values[1]:>11}{ratio:>8.2f}x  {wanted} {state}"
        print(line.rstrip(), flush=True)
        return f"{wanted}: {ratio:.2f}x {state}".rstrip()

    def _keep(
        self,
        name: str,
        unit: Unit,
        ours: Sequence[float],
        peer: Sequence[float],
        pair: tuple[Sequence[float], Sequence[float]],
        verdict: str,
    ) -> None:
        ratio = ratio_interval(*pair)
        cells = unit(median(ours)), unit(median(peer)), f"{ratio.value:.2f}x", between(ratio), verdict
        self.rows.append([name.strip(), *cells])

    def markdown(self) -> str:
        return table(["", "spamnb", "peer", "ratio", "95% interval", "target: by best times"], self.rows)
