"""The look of a page: light or dark as the reader's system says, readable on a phone and on paper."""

from spamnb.report.plots import svg
from spamnb.report.plots.palette import DARK, LIGHT

_LIGHT = LIGHT | {"page": "#f6f7f9", "soft": "#eef1f4", "line": "#d5dae0"}
_DARK = DARK | {"page": "#0e1116", "soft": "#1e242c", "line": "#323a44"}

_BODY = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 FONT}
main{max-width:62rem;margin:0 auto;padding:2.2rem 1.2rem 3rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em}
h2{font-size:1.2rem;line-height:1.3;margin:0 0 .35rem}
h3{font-size:1rem;margin:0 0 .3rem}
p{margin:.35rem 0 .6rem;max-width:54rem}
.muted,figcaption,dt,th{color:var(--muted)}
.sub{overflow-wrap:anywhere;margin:0}
section{background:var(--ground);border:1px solid var(--line);border-radius:10px;padding:1.2rem 1.3rem;
  margin-top:1.1rem}
.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1.2rem 1.8rem}
figure{margin:0;min-width:0}
figcaption{margin-top:.25rem;font-size:.875rem;line-height:1.45}
svg{display:block;width:100%;height:auto;font-family:inherit}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.8rem;margin-top:1rem}
.tile{background:var(--soft);border-radius:8px;padding:.7rem .9rem}
.tile b{display:block;font-size:1.55rem;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{display:block;font-size:.85rem;color:var(--muted);line-height:1.35}
ul.plain{margin:.4rem 0 0;padding:0;list-style:none}
ul.plain li{margin:.25rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.925rem}
table.wide{width:100%}
caption{text-align:left;font-size:.875rem;color:var(--muted);padding-bottom:.3rem}
th{font-weight:500;text-align:left}
th,td{padding:.28rem .8rem .28rem 0;vertical-align:baseline}
td.n,th.n{text-align:right;white-space:nowrap}
tbody tr+tr td,tbody tr+tr th{border-top:1px solid var(--grid)}
.matrix{border-collapse:separate;border-spacing:4px;margin:0 -4px}
.matrix th{padding:.2rem .5rem;border:0!important}
.matrix thead th{text-align:center}
.matrix td{padding:.55rem .7rem;border-radius:7px;text-align:center;min-width:6.2rem;background:var(--soft);
  border:0!important}
.matrix td b{display:block;font-size:1.3rem;font-weight:650}
.matrix td span{font-size:.78rem;color:var(--muted)}
.matrix td.bad b{color:var(--spam)}
.matrix td.good b{color:var(--ham)}
.heat td{text-align:right;padding:.3rem .6rem;border:0!important;border-radius:4px;
  background:color-mix(in srgb,var(--heat) calc(var(--part)*55%),transparent)}
.heat{border-collapse:separate;border-spacing:2px}
.heat th{padding:.3rem .6rem;border:0!important}
.slider{margin:.1rem calc(GAPR% - 11px) .2rem calc(GAPL% - 11px)}
input[type=range]{-webkit-appearance:none;appearance:none;display:block;width:100%;height:22px;margin:0;
  background:transparent;cursor:pointer}
input[type=range]::-webkit-slider-runnable-track{height:5px;border-radius:3px;background:var(--axis)}
input[type=range]::-moz-range-track{height:5px;border-radius:3px;background:var(--axis)}
input[type=range]::-webkit-slider-thumb{-webkit-appearance:none;width:22px;height:22px;margin-top:-8.5px;
  border-radius:50%;background:var(--mark);border:3px solid var(--ground);box-shadow:0 0 0 1px var(--axis)}
input[type=range]::-moz-range-thumb{width:16px;height:16px;border-radius:50%;background:var(--mark);
  border:3px solid var(--ground);box-shadow:0 0 0 1px var(--axis)}
:focus-visible{outline:3px solid var(--ham);outline-offset:2px;border-radius:6px}
.now{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem .9rem;margin:.2rem 0 .6rem}
.now output{font-weight:650;font-size:1.1rem;font-variant-numeric:tabular-nums}
button{font:inherit;font-size:.875rem;color:var(--text);background:var(--soft);border:1px solid var(--line);
  border-radius:6px;padding:.2rem .7rem;cursor:pointer}
button:disabled{opacity:.5;cursor:default}
.bar{display:block;height:.55rem;border-radius:2px;min-width:2px}
.for{background:var(--spam)}.against{background:var(--ham)}
.token{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86rem;overflow-wrap:anywhere}
h3 small{font-weight:400;font-size:.875rem;color:var(--muted)}
.mistake+h3{margin-top:1.4rem}
.mistake{border-top:1px solid var(--grid);padding:.8rem 0 .3rem;break-inside:avoid}
.mistake header{display:flex;overflow-wrap:anywhere;flex-wrap:wrap;gap:.1rem .9rem;
  align-items:baseline;font-size:.9rem}
.mistake header b{font-weight:650}
.mistake header *{min-width:0}
.message{margin:.4rem 0 .5rem;padding:.55rem .8rem;background:var(--soft);border-radius:7px;
  overflow-wrap:anywhere;unicode-bidi:isolate;max-width:none}
.odd{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.8em;color:var(--cost);
  border:1px solid currentColor;border-radius:3px;padding:0 .2em;margin:0 .1em}
.chips{display:flex;flex-wrap:wrap;gap:.3rem .4rem;margin:0;padding:0;list-style:none;font-size:.86rem}
.chips li{border:1px solid var(--line);border-left:4px solid var(--axis);border-radius:5px;
  padding:.05rem .5rem;  overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.chips li.pro{border-left-color:var(--spam)}.chips li.con{border-left-color:var(--ham)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1.1rem;margin:.3rem 0 0;
  font-size:.925rem}
dd{margin:0;overflow-wrap:anywhere}
footer{color:var(--muted);font-size:.85rem;margin-top:1.4rem}
@media screen and (max-width:46rem){
  main{padding:1.3rem .7rem 2rem}
  section{padding:1rem .9rem;border-radius:8px}
  .two{grid-template-columns:minmax(0,1fr)}
  h1{font-size:1.45rem}
  .matrix td{min-width:0;padding:.5rem .45rem}
  .matrix{width:100%}
  .meaning,.bars{display:none}
  .tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
  .tile b{font-size:1.35rem}
  svg text{font-size:14px}
  svg .spare{display:none}
  dl{grid-template-columns:minmax(0,1fr);gap:0}
  dd{margin-bottom:.45rem}
}
@media print{
  body{background:#fff;font-size:10.5pt}
  main{max-width:none;padding:0}
  section{border:0;padding:.4rem 0;margin-top:.5rem}
  h2,h3{break-after:avoid}
  .slider,.now button,.screen{display:none}
  figure,tr,.tile{break-inside:avoid}
  .two{grid-template-columns:repeat(2,minmax(0,1fr))}
  *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
"""


def style(left: float, right: float) -> str:
    """All rules; the slider stands below the plot from `left` to `right`, in percent of its width."""
    variables = {name: "".join(f"--{k}:{v};" for k, v in c.items()) for name, c in _SCHEMES.items()}
    rules = _BODY.replace("FONT", svg.FONT).replace("GAPL", f"{left:.2f}").replace("GAPR", f"{right:.2f}")
    return (
        f":root{{color-scheme:light dark;--heat:var(--ham);{variables['light']}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{variables['dark']}}}}}\n"
        f"{svg.rules('svg ')}{rules}"
    )


_SCHEMES = {"light": _LIGHT, "dark": _DARK}
