"""Reads the fields of a mail by other programs: Python's email, formail, procmail, reformail, Pigeonhole."""

from __future__ import annotations

import email.parser
import email.policy
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from spamnb.mail.header_block import plain_name, skip_to_header, unify_line_ends
from spamnb.mail.headers import read_fields
from spamnb.mail.parsed_mail import DEFAULT

Values = list[
    str
]  # of one field, as often as it occurs; a later one may be "..." where only its number is known
Read = Callable[[bytes, Path, tuple[str, ...]], dict[str, Values]]


def _plain(value: object) -> str:
    return " ".join(str(value).split())


def _email(parse: Callable[[bytes], email.message.Message]) -> Read:
    def read(mail: bytes, _: Path, names: tuple[str, ...]) -> dict[str, Values]:
        message = parse(mail)
        return {name: [*map(_plain, message.get_all(name, []))] for name in names}

    return read


def _spamnb(mail: bytes, _: Path, names: tuple[str, ...]) -> dict[str, Values]:
    fields, values, _body = read_fields(skip_to_header(unify_line_ends(mail)), DEFAULT, [])
    plain = [plain_name(name).decode() for name in fields]
    pairs = [*zip(plain, values, strict=True)]
    return {
        name: [_plain(value.decode("latin1")) for field, value in pairs if field == name.lower()]
        for name in names
    }


def _run(*command: str | Path, mail: bytes = b"", folder: Path | None = None) -> bytes:
    done = subprocess.run([*map(str, command)], input=mail, capture_output=True, cwd=folder, timeout=60)
    assert done.returncode == 0, (command, done)
    return done.stderr if command[0] == "procmail" else done.stdout


def _formail(mail: bytes, _: Path, names: tuple[str, ...]) -> dict[str, Values]:
    shown = {name: _run("formail", "-c", "-x", f"{name}:", mail=mail) for name in names}
    return {name: [*map(_plain, text.decode("latin1").split("\n")[:-1])] for name, text in shown.items()}


def _reformail(mail: bytes, _: Path, names: tuple[str, ...]) -> dict[str, Values]:
    shown = {name: _run("reformail", "-c", "-x", f"{name}:", mail=mail) for name in names}
    return {name: [*map(_plain, text.decode("latin1").split("\n")[:-1])] for name, text in shown.items()}


_RECIPE = """:0
* 1^1 ^{name}:
{{ COUNT=$= }}
:0 E
{{ COUNT=0 }}
MATCH
:0
* ^{name}:\\/.*
{{ }}
LOG="<{name}|$COUNT|$MATCH>"
"""


def _procmail(mail: bytes, folder: Path, names: tuple[str, ...]) -> dict[str, Values]:
    """The first value and how many lines match; the mail is delivered to nowhere."""
    nowhere = "SHELL=/bin/sh\nDEFAULT=/dev/null\nORGMAIL=/dev/null\n"
    recipes, own = folder / "own" / "procmailrc", folder / "own"
    own.mkdir(mode=0o700, exist_ok=True)  # procmail refuses recipes in a folder that others may change
    recipes.write_text(nowhere + "".join(_RECIPE.format(name=name) for name in names))
    recipes.chmod(0o600)
    log = _run("procmail", "-m", recipes, mail=mail).decode("latin1")
    matches = re.findall(r"<([\w-]+)\|(\d+)\|([^>]*)>", log)
    assert len(matches) == len(names), log
    return {name: _first_of(int(count), match) for name, count, match in matches}


def _first_of(count: int, value: str) -> Values:
    return [_plain(value), *["..."] * (count - 1)] if count else []


_SIEVE = """if header :matches :index 1 "{name}" "*" {{ fileinto "<{name}|1|${{1}}>"; }}
if header :count "ge" "2" "{name}" {{ fileinto "<{name}|2|>"; }}
"""


def _sieve(mail: bytes, folder: Path, names: tuple[str, ...]) -> dict[str, Values]:
    """The first value, and whether there are more; shown as the folders that a script files a mail into."""
    user = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    config, script, file = folder / "dovecot.conf", folder / "fields.sieve", folder / "mail"
    config.write_text(
        f"mail_uid = {user}\nmail_gid = {pwd.getpwnam(user).pw_gid}\nfirst_valid_uid = 1\n"
        f"first_valid_gid = 1\nmail_home = {folder}\nmail_location = maildir:{folder}/Maildir\n"
    )
    needed = '"fileinto", "relational", "comparator-i;ascii-numeric", "variables", "index"'
    script.write_text(f"require [{needed}];\n" + "".join(_SIEVE.format(name=name) for name in names))
    file.write_bytes(mail)
    text = _run("sieve-test", "-c", config, script, file, folder=folder).decode("latin1")
    matches = {(name, count): value for name, count, value in re.findall(r"<([\w-]+)\|(\d)\|([^>]*)>", text)}
    return {
        name: _first_of(2 if (name, "2") in matches else 1, matches[name, "1"])
        if (name, "1") in matches
        else []
        for name in names
    }


# Each program with what has to be installed for it.
PROGRAMS: dict[str, tuple[str, Read]] = {
    "spamnb": ("", _spamnb),
    "email, compat32": ("", _email(email.parser.BytesParser().parsebytes)),
    "email, default": ("", _email(email.parser.BytesParser(policy=email.policy.default).parsebytes)),
    "email, headers only": ("", _email(email.parser.BytesHeaderParser().parsebytes)),
    "email, Latin-1 text": (
        "",
        _email(lambda mail: email.parser.Parser(policy=email.policy.SMTP).parsestr(mail.decode("latin1"))),
    ),
    "formail": ("formail", _formail),
    "procmail": ("procmail", _procmail),
    "reformail": ("reformail", _reformail),
    "sieve-test": ("sieve-test", _sieve),
}


def is_installed(program: str) -> bool:
    command = PROGRAMS[program][0]
    return not command or shutil.which(command) is not None
