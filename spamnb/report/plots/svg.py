"""Writes drawings as SVG: inside a page, which defines the colours, or as a file with its own."""

from __future__ import annotations

from html import escape

from spamnb._version import __version__
from spamnb.metrics import Floats
from spamnb.report.plots.drawing import Box, Dot, Drawing, Line, Shape, TextShape
from spamnb.report.plots.palette import LIGHT

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def style_rules(prefix: str = "") -> str:
    """Returns the style of every role; the colours are variables."""
    lines = [f"{prefix}text{{font-size:12px;font-variant-numeric:tabular-nums}}"]
    for role in LIGHT:
        lines.append(f"{prefix}.l-{role}{{stroke:var(--{role});fill:none}}")
        lines.append(f"{prefix}.f-{role}{{fill:var(--{role})}}")
    lines.append(f"{prefix}circle{{stroke:var(--ground);stroke-width:2}}")
    return "\n".join(lines)


def inline_svg(drawing: Drawing) -> str:
    """Writes an element for a page: without title, as wide as its container."""
    box = f"0 {_number(drawing.top - 6)} {_number(drawing.width)} {_number(drawing.height - drawing.top)}"
    label = escape(f"{drawing.title}. {drawing.description}")
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">{_shapes(drawing)}</svg>'


def svg_file(drawing: Drawing) -> str:
    """Writes a file with white background, title and description."""
    colours = "".join(f"--{role}:{colour};" for role, colour in LIGHT.items())
    width, height = _number(drawing.width), _number(drawing.height)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    title = TextShape(drawing.width / 2, 20, drawing.title, "text", bold=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'font-family="{escape(FONT)}" role="img"><!-- made by spamnb {__version__} -->'
        f"<title>{escape(drawing.title)}</title><desc>{escape(drawing.description)}</desc>"
        f"<style>svg{{{colours}}}\n{style_rules()}</style>"
        f'<rect width="100%" height="100%" class="f-ground"/>{_shape(title)}{_shapes(drawing)}</svg>\n'
    )


def _shapes(drawing: Drawing) -> str:
    return "".join(_shape(shape) for shape in drawing.shapes)


def _shape(shape: Shape) -> str:
    match shape:
        case Line():
            dash = ' stroke-dasharray="5 4"' if shape.dashed else ""
            style = f'class="l-{shape.role}" stroke-width="{_number(shape.width)}"{dash}'
            return f'<path{_id(shape.name)} {style} stroke-linejoin="round" d="{_path(shape.points)}"/>'
        case Box():
            size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
            return f'<rect class="f-{shape.role}" {_position(shape)} {size}/>'
        case Dot():
            circle = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"'
            return f'<circle{_id(shape.name)} class="f-{shape.role}" {circle}/>'
        case TextShape():
            return _text(shape)


def _text(shape: TextShape) -> str:
    position = _position(shape)
    if shape.vertical:
        position += f' transform="rotate(-90 {_number(shape.x)} {_number(shape.y)})"'
    weight = ' font-weight="600"' if shape.bold else ""
    hidden = " wide-only" if shape.wide_only else ""
    style = f'class="f-{shape.role}{hidden}" text-anchor="{shape.anchor}"{weight}'
    return f"<text {style} {position}>{escape(shape.text)}</text>"


def _position(shape: Box | TextShape) -> str:
    return f'x="{_number(shape.x)}" y="{_number(shape.y)}"'


def _id(name: str) -> str:
    return f' id="{escape(name)}"' if name else ""


def _path(points: Floats) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points.tolist())


def _number(value: float) -> str:
    """Rounds to a tenth of a unit, which is finer than a screen shows.

    >>> _number(3.04), _number(12)
    ('3', '12')
    """
    return f"{value:.1f}".rstrip("0").rstrip(".")
