"""Figures: plain rows go in, an Altair chart comes out, and a file in any of five formats.

libraries  Altair and vl-convert (`pip install "tarocco[plots]"`), imported when a chart is made or written, not before
look       colors, shapes and type, the same in every figure
text       words from data, made fit for labels
placing    where the labels of points go
charts     the four kinds: dots, curves, points, heat_map
stacks     parts of a whole, and several charts in one figure
files      a chart as .html, .svg, .png, .pdf or .json
orange, references   the figures of what these commands find
results    the figure of any result: `tarocco.figure`
"""

from tarocco.render.plots.charts import curves, dots, heat_map, points
from tarocco.render.plots.files import write_chart

__all__ = ["curves", "dots", "heat_map", "points", "write_chart"]
