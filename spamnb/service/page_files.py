"""Provides the page of a server: template, scripts and style, and the headers that protect it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from spamnb._version import __version__
from spamnb.report import page_style

_FOLDER = "page"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
SCRIPTS = ("page.js", "requests.js", "message_view.js", "message_list.js", "overview.js")
FILE_NAMES = ("page.css", "messages.css", "icon.svg", *SCRIPTS)
PATHS = ("/", *(f"/page/{name}" for name in FILE_NAMES))  # they hold no message, so they need no token
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def page_file(name: str) -> tuple[bytes, str]:
    """Returns one of `FILE_NAMES` and its media type; the style begins with that of the report."""
    text = files("spamnb.service").joinpath(_FOLDER, name).read_text("utf-8")
    if name == "page.css":
        text = page_style() + text
    return text.encode(), _TYPES[name.rpartition(".")[2]]


def render_page(history: int) -> str:
    """Returns the HTML of the page; `history` is how many messages the server keeps."""
    from jinja2 import (
        Environment,
        PackageLoader,
        StrictUndefined,
    )  # 3 MB that a server without visitors saves

    environment = Environment(
        loader=PackageLoader("spamnb.service", _FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html.j2").render(version=__version__, history=history)
