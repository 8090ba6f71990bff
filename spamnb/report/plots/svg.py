"""Drawings as SVG: inside a page, which has the colours, or as a file with its own."""

from __future__ import annotations

from html import escape

from spamnb._version import __version__
from spamnb.metrics import Floats
from spamnb.report.plots.palette import LIGHT
from spamnb.report.plots.shapes import Box, Dot, Drawing, Line, Shape, Words

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def rules(prefix: str = "") -> str:
    """The style of every role; the colours are variables."""
    lines = [f"{prefix}text{{font-size:12px;font-variant-numeric:tabular-nums}}"]
    for role in LIGHT:
        lines.append(f"{prefix}.l-{role}{{stroke:var(--{role});fill:none}}")
        lines.append(f"{prefix}.f-{role}{{fill:var(--{role})}}")
    lines.append(f"{prefix}circle{{stroke:var(--ground);stroke-width:2}}")
    return "\n".join(lines)


def inline(drawing: Drawing) -> str:
    """For a page: without title, as wide as its place."""
    box = f"0 {_n(drawing.top - 6)} {_n(drawing.width)} {_n(drawing.height - drawing.top)}"
    label = escape(f"{drawing.title}. {drawing.about}")
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">{_shapes(drawing)}</svg>'


def standalone(drawing: Drawing) -> str:
    """A file: white ground, title, description."""
    colours = "".join(f"--{role}:{colour};" for role, colour in LIGHT.items())
    wide, high = _n(drawing.width), _n(drawing.height)
    size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    title = Words(drawing.width / 2, 20, drawing.title, "text", bold=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'font-family="{escape(FONT)}" role="img"><!-- made by spamnb {__version__} -->'
        f"<title>{escape(drawing.title)}</title><desc>{escape(drawing.about)}</desc>"
        f"<style>svg{{{colours}}}\n{rules()}</style>"
        f'<rect width="100%" height="100%" class="f-ground"/>{_shape(title)}{_shapes(drawing)}</svg>\n'
    )


def _shapes(drawing: Drawing) -> str:
    return "".join(_shape(shape) for shape in drawing.shapes)


def _shape(shape: Shape) -> str:
    match shape:
        case Line():
            dash = ' stroke-dasharray="5 4"' if shape.dashed else ""
            style = f'class="l-{shape.role}" stroke-width="{_n(shape.width)}"{dash}'
            return f'<path{_id(shape.name)} {style} stroke-linejoin="round" d="{_path(shape.points)}"/>'
        case Box():
            place, size = _place(shape), f'width="{_n(shape.width)}" height="{_n(shape.height)}"'
            return f'<rect class="f-{shape.role}" {place} {size}/>'
        case Dot():
            place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
            return f'<circle{_id(shape.name)} class="f-{shape.role}" {place}/>'
        case Words():
            return _words(shape)


def _words(shape: Words) -> str:
    place = _place(shape)
    if shape.upright:
        place += f' transform="rotate(-90 {_n(shape.x)} {_n(shape.y)})"'
    weight = ' font-weight="600"' if shape.bold else ""
    spare = " spare" * shape.spare
    style = f'class="f-{shape.role}{spare}" text-anchor="{shape.side}"{weight}'
    return f"<text {style} {place}>{escape(shape.text)}</text>"


def _place(shape: Box | Words) -> str:
    return f'x="{_n(shape.x)}" y="{_n(shape.y)}"'


def _id(name: str) -> str:
    return f' id="{escape(name)}"' if name else ""


def _path(points: Floats) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points.tolist())


def _n(value: float) -> str:
    """A tenth of a unit is finer than anyone sees.

    >>> _n(3.04), _n(12)
    ('3', '12')
    """
    return f"{value:.1f}".rstrip("0").rstrip(".")
