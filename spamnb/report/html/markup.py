"""Markup from text: everything that is not markup already is escaped, here and nowhere else."""

from __future__ import annotations

from html import escape

from spamnb.core import visible


class Html(str):
    """Markup that is ready; any other string is text and will be escaped."""

    __slots__ = ()


def text(value: object) -> Html:
    r"""Markup is left alone; anything else is escaped, and characters that hide or reorder are shown.

    >>> text("<b> \u202e")
    '&lt;b&gt; <span class="odd">\\u202e</span>'
    """
    if isinstance(value, Html):
        return value
    given = str(value)
    if given.isprintable():
        return Html(escape(given))
    return Html("".join(_letter(letter) for letter in given))


def _letter(letter: str) -> str:
    if letter.isprintable() or letter == "\t":
        return escape(letter)
    if letter == "\n":
        return '<span class="odd">↵</span><br>'
    shown = visible(letter)
    return escape(letter) if shown == letter else f'<span class="odd">{escape(shown)}</span>'


def h(name: str, /, *content: object, **attributes: object) -> Html:
    """An element; `class_` stands for class, `aria_label` for aria-label; what is None or False is left out.

    >>> h("a", "1 < 2", class_="x", hidden=True, id=None)
    '<a class="x" hidden>1 &lt; 2</a>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    inner = "".join(text(part) for part in content if part is not None)
    return Html(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{inner}</{name}>")


_VOID = ("meta", "input", "br", "hr")


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'


def join(parts: object) -> Html:
    """Several pieces one after the other."""
    assert isinstance(parts, (list, tuple))
    return Html("".join(text(part) for part in parts))
