"""Drawings as PNG, painted by Pillow (the extra `png`): enlarged and then reduced, so edges are smooth."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from typing import Any

from spamnb._version import __version__
from spamnb.errors import MissingExtraError
from spamnb.report.plots.palette import LIGHT
from spamnb.report.plots.shapes import Box, Dot, Drawing, Line, Shape, Words

RESOLUTION = 2  # pixels to a unit of the drawing
_FINER = 3  # painted so much larger
_SIZE = 12.0
_DASH, _GAP = 5.0, 4.0


def available() -> bool:
    """Is Pillow installed?"""
    from importlib.util import find_spec

    return find_spec("PIL") is not None


def png(drawing: Drawing) -> bytes:
    """The bytes of a PNG file."""
    if not available():
        raise MissingExtraError("writing PNG files", "png")
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    scale = RESOLUTION * _FINER
    size = round(drawing.width * scale), round(drawing.height * scale)
    image = Image.new("RGB", size, LIGHT["ground"])
    painter = _Painter(image, scale)
    painter.paint(Words(drawing.width / 2, 20, drawing.title, "text", bold=True))
    for shape in drawing.shapes:
        painter.paint(shape)
    small = image.resize((size[0] // _FINER, size[1] // _FINER), Image.Resampling.LANCZOS)
    out, made = BytesIO(), PngInfo()
    made.add_text("Software", f"spamnb {__version__}")
    small.quantize(256, dither=Image.Dither.NONE).save(out, "PNG", optimize=True, pnginfo=made)
    return out.getvalue()


class _Painter:
    def __init__(self, image: Any, scale: float) -> None:
        from PIL import ImageDraw

        self._image, self._scale = image, scale
        self._draw = ImageDraw.Draw(image)

    def paint(self, shape: Shape) -> None:
        s, colour = self._scale, LIGHT[shape.role]
        match shape:
            case Line():
                self._line(shape, colour)
            case Box():
                right, bottom = (shape.x + shape.width) * s, (shape.y + shape.height) * s
                self._draw.rectangle((shape.x * s, shape.y * s, right, bottom), colour)
            case Dot():
                for radius, fill in ((shape.radius + 1, LIGHT["ground"]), (shape.radius - 1, colour)):
                    self._disc(shape.x, shape.y, radius, fill)
            case Words():
                self._words(shape, colour)

    def _disc(self, x: float, y: float, radius: float, fill: str) -> None:
        s = self._scale
        self._draw.ellipse(((x - radius) * s, (y - radius) * s, (x + radius) * s, (y + radius) * s), fill)

    def _line(self, shape: Line, colour: str) -> None:
        s = self._scale
        points = [(x * s, y * s) for x, y in shape.points.tolist()]
        width = max(1, round(shape.width * s))
        for part in dashes(points, _DASH * s, _GAP * s) if shape.dashed else [points]:
            self._draw.line(part, colour, width, joint="curve")

    def _words(self, shape: Words, colour: str) -> None:
        from PIL import Image, ImageDraw

        s, anchor = self._scale, {"start": "ls", "middle": "ms", "end": "rs"}[shape.side]
        font, stroke = _font(_SIZE * s, shape.text), 0.15 * s if shape.bold else 0
        if not shape.upright:
            place = shape.x * s, shape.y * s
            self._draw.text(place, shape.text, colour, font, anchor, stroke_width=stroke)
            return
        length = round(font.getlength(shape.text)) + 4
        strip = Image.new("L", (length, round(2 * _SIZE * s)))
        ImageDraw.Draw(strip).text((length / 2, 1.5 * _SIZE * s), shape.text, 255, font, "ms")
        turned = strip.rotate(90, expand=True)
        corner = round(shape.x * s - 1.5 * _SIZE * s), round(shape.y * s - length / 2)
        self._image.paste(Image.new("RGB", turned.size, colour), corner, turned)


def _font(size: float, text: str) -> Any:
    """Pillow's own font; for letters that it lacks a wider one, where the system has it."""
    from PIL import ImageFont

    if not text.isascii():
        for name in ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "Arial Unicode.ttf", "arial.ttf"):
            try:
                return ImageFont.truetype(name, size)
            except OSError:
                continue
    return ImageFont.load_default(size)


def dashes(points: list[tuple[float, float]], dash: float, gap: float) -> list[list[tuple[float, float]]]:
    """A line cut into dashes, which run on around its corners.

    >>> dashes([(0.0, 0.0), (10.0, 0.0)], 4, 2)
    [[(0.0, 0.0), (4.0, 0.0)], [(6.0, 0.0), (10.0, 0.0)]]
    """
    found: list[list[tuple[float, float]]] = []
    on, left, part = True, dash, points[:1]
    for start, end in pairwise(points):
        length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        done = 0.0
        while length - done > left:
            done += left
            share = done / length
            at = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
            if on:
                found.append([*part, at])
            on, left, part = not on, gap if on else dash, [at]
        left -= length - done
        part.append(end)
    return [*found, part] if on and len(part) > 1 else found
