"""Figures: plain rows become Altair charts, and charts become files in five formats.

style      colors, markers, fonts and labels of every figure
charts     the kinds of charts
files      charts as .html, .svg, .png, .pdf or .json; Altair and vl-convert (`pip install "tarocco[plots]"`)
figures    the figure of any result: `tarocco.figure`
"""

from tarocco.render.plots.charts import curves, dots, heat_map, points
from tarocco.render.plots.files import write_chart

__all__ = ["curves", "dots", "heat_map", "points", "write_chart"]
