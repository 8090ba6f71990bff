"""Finds models by name: NAME.spamnb in the user's data folder, and the ready-made ones.

A word without a slash and without a dot is a name; everything else is a path.
"""

from __future__ import annotations

import os
from pathlib import Path

from spamnb.errors import InputError, ModelError, type_name

SUFFIX = ".spamnb"
SITE_FOLDER = "/etc/spamnb"  # with config.toml, lists.txt and the models of a site
TEXT, LONG_TEXT, MAIL = MESSAGE_KINDS = ("text", "long-text", "mail")
READY_MADE = {TEXT: "sms", LONG_TEXT: "mail", MAIL: "mail"}  # the ready-made model for each kind
READY_MADE_NAMES = {"sms": "ready-made model for SMS", "mail": "ready-made model for mail"}  # as base models
OWN_MODELS = {TEXT: "my-text", MAIL: "my-mail"}  # the models that `train` and `learn` write by default
AUTO = "auto"  # in place of a name: no choice, so your own models or the ready-made ones
BOTH_READY_MADE = "ready-made"  # in place of a name: the ready-made model for the kind of the messages
_RESERVED = (*READY_MADE_NAMES, AUTO, BOTH_READY_MADE, "default")
_LONG_TEXT = 400  # mean bytes of a text; those of SMS corpora have 80 to 110
_USED = "default-{}"  # in the data folder: what `spamnb model use` chose for text or mail


def data_folder() -> str | None:
    """Returns the platform's data folder of the user, where models with a name are.

    None if there is no such folder: without HOME, for a user without an entry in the password database.
    """
    from spamnb.core import user_data_folder

    return user_data_folder()


def shipped_model(name: str) -> str:
    """Returns the ready-made model with this name, `sms` or `mail`."""
    return str(Path(__file__).resolve().parent / "ready_made" / f"{name}{SUFFIX}")


def common_model(name: str) -> str:
    """Returns the model of users without one: that of the site, `sms` or `mail`, else the ready-made one."""
    site = os.path.join(SITE_FOLDER, f"{name}{SUFFIX}")
    return site if os.path.exists(site) else shipped_model(name)


def is_common(path: str) -> bool:
    """Tells whether a model is for users without one of their own: ready-made, or that of the site."""
    return is_shipped(path) or path in map(common_model, READY_MADE_NAMES)


def is_shipped(path: str) -> bool:
    """Tells whether a path, by whatever name, leads to a ready-made model."""
    return os.path.realpath(path) in map(os.path.realpath, map(shipped_model, READY_MADE_NAMES))


def kind_by_length(mean_size: float) -> str:
    """Returns the kind of texts of this size: some are as long as mails.

    >>> kind_by_length(90), kind_by_length(2000)
    ('text', 'long-text')
    """
    return LONG_TEXT if mean_size > _LONG_TEXT else TEXT


def text_or_mail(kind: str) -> str:
    """Returns the kind that a model of one's own is for: texts of any length have the same one."""
    return MAIL if kind == MAIL else TEXT


def is_name(text: str) -> bool:
    """Tells whether a text is the name of a model, not a path.

    >>> [is_name(text) for text in ("office", "./office", "office.spamnb", "-")]
    [True, False, False, False]
    """
    separators = {os.sep, os.altsep or os.sep, "."}
    return text not in ("", "-") and not separators & set(text)


def check_path(path: object) -> None:
    """Refuses what is no path."""
    if not isinstance(path, (str, os.PathLike)) or path == "":
        got = "an empty string" if path == "" else type_name(path)
        raise InputError(f"expected the path of a model, got {got}", hint="for example 'my.spamnb'")


def check_no_name(path: str | os.PathLike[str], hint: str) -> None:
    """Refuses the name of a model where its file is expected, unless there is a file of that name."""
    if isinstance(path, str) and is_name(path) and not os.path.lexists(path):
        raise ModelError(f"no model at {path}", hint=hint)


def model_path(text: str) -> str:
    """Returns the file of a model that is stated by name or by path; it need not exist."""
    if not is_name(text):
        return text
    return shipped_model(text) if text in READY_MADE_NAMES else _in_folder(f"{text}{SUFFIX}")


def new_path_of(text: str) -> str:
    """Returns the file to write a model to, by name or by path; refuses names that mean something else."""
    if text in _RESERVED:
        ready_made = text in READY_MADE_NAMES
        raise ModelError(
            f"{text} is the name of a ready-made model" if ready_made else f"{text} cannot name a model",
            hint=f"choose another name, or write a file: ./{text}{SUFFIX}",
        )
    return model_path(text)


def name_of(path: str) -> str:
    """Returns the shortest text that leads to a model: its name if it has one, else its path."""
    folder, file = os.path.split(os.path.abspath(path))
    name = file.removesuffix(SUFFIX)
    named = is_name(name) and file.endswith(SUFFIX)
    if named and (folder == data_folder() or (name in READY_MADE_NAMES and is_shipped(path))):
        return name
    return path


def named_models() -> list[str]:
    """Returns the files of all models in the data folder."""
    folder = data_folder()
    if folder is None or not os.path.isdir(folder):
        return []
    paths = (os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(SUFFIX))
    return [path for path in paths if name_of(path) != path]


def used_model(kind: str) -> str | None:
    """Returns the name or path that `spamnb model use` chose for text or mail, None if there is no choice."""
    folder, file = data_folder(), _USED.format(text_or_mail(kind))
    try:
        if folder is not None:
            text = Path(folder, file).read_text("utf-8", "surrogateescape").strip()
            return READY_MADE[kind] if text == BOTH_READY_MADE else text or None
    except FileNotFoundError:
        pass
    except OSError as error:
        path = os.path.join(folder or "", file)
        raise ModelError(f"cannot read {path}: {error.strerror}", hint="name a model with -m MODEL") from None
    return None


def use_model(text: str | None, kind: str) -> None:
    """Makes a model the default for text or mail, or with None leaves the choice to spamnb."""
    from spamnb.core import files

    file = _in_folder(_USED.format(text_or_mail(kind)))
    try:
        if text is not None:
            files.make_folder(os.path.dirname(file))
            with files.atomic_write(file) as stream:
                stream.write(os.fsencode(text) + b"\n")
        elif os.path.lexists(file):
            os.remove(file)
    except OSError as error:
        raise files.cannot_write(file, error) from None


def _in_folder(file: str) -> str:
    folder = data_folder()
    if folder is None:
        raise ModelError(
            "there is no home folder for models with a name: HOME is not set",
            hint="name a file, for example ./office.spamnb",
        )
    return os.path.join(folder, file)
