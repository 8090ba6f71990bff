"""Draws docs/run.svg: the real output of real commands on the shipped sample, as a terminal shows it.

Run it with the environment of `make install`: .venv/bin/python -m tools.run_picture
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "run.svg"
WIDTH = 100
MESSAGE = "Hi mum, my phone is broken. This is my new number, text me on WhatsApp"
COMMANDS = (
    "printf 'WIN a FREE prize\\nrunning late, home by 7\\n' | spamnb predict",
    "spamnb train data/sms_sample.csv -o demo.spamnb",
    f"spamnb explain -m demo.spamnb \\\n'{MESSAGE}' --top 9",
)


def output(command: str, folder: str) -> str:
    """What a shell command prints in a folder with the sample in it, colours included."""
    settings = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    script = f'spamnb() {{ "{sys.executable}" -m spamnb "$@"; }}\n{command}'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    return done.stdout.decode()


def drawing() -> str:
    """The session as SVG; the font is the reader's own, nothing is fetched from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").symlink_to(ROOT / "data", target_is_directory=True)
        for i, command in enumerate(COMMANDS):
            prompt = Text("\n$ " if i else "$ ", "bold green", end="")
            console.print(prompt, Text(command.replace("\n", "\n> "), "bold"), sep="")
            console.print(Text.from_ansi(output(command, folder).rstrip("\n")))
    svg = console.export_svg(title="spamnb", unique_id="run")
    return re.sub(r"@font-face\s*\{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    svg = drawing()
    assert "url(http" not in svg, "rich has added another remote source"
    TARGET.write_text(svg, "utf-8")
    print(f"wrote docs/run.svg, {len(svg.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
