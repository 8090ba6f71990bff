"""The commands of spamnb, to be timed as those of the peers are."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.command_cost import spamnb
from benchmarks.peers.base import Bools, Floats, Messages, Tool


class Ours(Tool):
    """spamnb, from a table or from files of mails; with its defaults."""

    name = package = "spamnb"

    def write(self, messages: Messages, spam: Bools | None) -> None:
        self.mail = messages.mail
        where = messages.files(self.folder / str(spam is None)) if messages.mail else messages.texts
        if spam is None:
            self._file("lines").write_text("".join(f"{value}\n" for value in where), "utf-8")
            return
        labels = ["spam" if s else "ham" for s in spam]
        if messages.mail:
            rows = zip(labels, where, strict=True)
            self._file("index").write_text("".join(f"{a} {b}\n" for a, b in rows))
            return
        with open(self._file("data.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [("label", "text"), *zip(labels, where, strict=True)]
            )

    def train_command(self) -> list[str]:
        data = ["index", "--input-format", "index"] if self.mail else ["data.csv"]
        return spamnb("train", str(self._file(data[0])), *data[1:], "-o", str(self._file("model")), "-q")

    def predict_command(self) -> list[str]:
        lines = str(self._file("lines"))
        where = ["--files-from", lines, "--input-format", "eml"] if self.mail else [lines]
        return spamnb("predict", "-m", str(self._file("model")), "-q", *where)

    def _file(self, name: str) -> Path:
        return self.folder / name

    def train(self, messages: Messages, spam: Bools) -> None:
        raise NotImplementedError("only its commands are timed")

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        raise NotImplementedError("only its commands are timed")
