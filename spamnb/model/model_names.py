"""Finds models by name: NAME.spamnb in the user's data folder, and the ready-made ones.

A word without a slash and without a dot is a name; everything else is a path.
"""

from __future__ import annotations

import os
from pathlib import Path

from spamnb.errors import ModelError

SUFFIX = ".spamnb"
SITE_FOLDER = "/etc/spamnb"  # with config.toml, lists.txt and the models of a site
MESSAGE_KINDS = ("sms", "mail")  # there is a ready-made model for each, with this name
READY_MADE_NAMES = {"sms": "ready-made model for SMS", "mail": "ready-made model for mail"}  # as base models
AUTO = "auto"  # in place of a name: no choice, so your own model or a ready-made one
_RESERVED = (*MESSAGE_KINDS, AUTO, "ready-made", "default")
_LONG_TEXT = 400  # mean bytes of a text; those of SMS corpora have 80 to 110
_USED = "default"  # the file in the data folder that holds the choice of `spamnb model use`


def data_folder() -> str | None:
    """Returns the platform's data folder of the user, where models with a name are.

    None if there is no such folder: without HOME, for a user without an entry in the password database.
    """
    from platformdirs import user_data_dir

    try:
        folder = user_data_dir("spamnb", appauthor=False)
    except RuntimeError:  # earlier versions of platformdirs return a path that begins with ~
        return None
    return folder if os.path.isabs(folder) else None


def shipped_model(kind: str) -> str:
    """Returns the ready-made model for this kind of messages."""
    return str(Path(__file__).resolve().parent / "ready_made" / f"{kind}{SUFFIX}")


def site_model(kind: str) -> str:
    """Returns where a site's model for this kind of messages is, if there is one; root puts it there."""
    return os.path.join(SITE_FOLDER, f"{kind}{SUFFIX}")


def common_model(kind: str) -> str:
    """Returns the model of users without one of their own: that of the site, else the ready-made one."""
    return path if os.path.exists(path := site_model(kind)) else shipped_model(kind)


def is_common(path: str) -> bool:
    """Tells whether a model is for all users: ready-made, or that of the site."""
    return is_shipped(path) or path in map(site_model, MESSAGE_KINDS)


def is_shipped(path: str) -> bool:
    """Tells whether a path, by whatever name, leads to a ready-made model."""
    return os.path.realpath(path) in (os.path.realpath(shipped_model(kind)) for kind in MESSAGE_KINDS)


def kind_by_length(mean_size: float) -> str:
    """Returns the kind of messages whose texts have this size: those as long as mails are mail.

    >>> kind_by_length(90), kind_by_length(2000)
    ('sms', 'mail')
    """
    return "mail" if mean_size > _LONG_TEXT else "sms"


def is_name(text: str) -> bool:
    """Tells whether a text is the name of a model, not a path.

    >>> [is_name(text) for text in ("office", "./office", "office.spamnb", "-")]
    [True, False, False, False]
    """
    separators = {os.sep, os.altsep or os.sep, "."}
    return text not in ("", "-") and not separators & set(text)


def check_no_name(path: str | os.PathLike[str], hint: str) -> None:
    """Refuses the name of a model where its file is expected, unless there is a file of that name."""
    if isinstance(path, str) and is_name(path) and not os.path.lexists(path):
        raise ModelError(f"no model at {path}", hint=hint)


def model_path(text: str) -> str:
    """Returns the file of a model that is stated by name or by path; it need not exist."""
    if not is_name(text):
        return text
    return shipped_model(text) if text in MESSAGE_KINDS else _in_folder(f"{text}{SUFFIX}")


def new_path_of(text: str) -> str:
    """Returns the file to write a model to, by name or by path; refuses names that mean something else."""
    if text in _RESERVED:
        ready_made = text in MESSAGE_KINDS
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
    if named and (folder == data_folder() or (name in MESSAGE_KINDS and is_shipped(path))):
        return name
    return path


def named_models() -> list[str]:
    """Returns the files of all models in the data folder."""
    folder = data_folder()
    if folder is None or not os.path.isdir(folder):
        return []
    paths = (os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(SUFFIX))
    return [path for path in paths if name_of(path) != path]


def used_model() -> str | None:
    """Returns the name or path that `spamnb model use` chose, None if there is no choice."""
    folder = data_folder()
    try:
        if folder is not None:
            return Path(folder, _USED).read_text("utf-8", "surrogateescape").strip() or None
    except FileNotFoundError:
        pass
    except OSError as error:
        path = os.path.join(folder or "", _USED)
        raise ModelError(f"cannot read {path}: {error.strerror}", hint="name a model with -m MODEL") from None
    return None


def use_model(text: str | None) -> None:
    """Makes a model the default, or with None leaves the choice to spamnb."""
    from spamnb.core import files

    file = _in_folder(_USED)
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
