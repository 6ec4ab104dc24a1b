"""Take pictures of the demo's report for the documentation: desktop, phone, dark mode, a segment, and plots.

    python tools/make_screenshots.py [REPORT.html]

Without a report, the script creates the demo's first. It needs Chromium and Playwright (`make test-browser` installs
them).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tarocco.render.page.payload import read_payload
from tarocco.render.page.report import write_figures

STATIC = Path(__file__).resolve().parents[1] / "docs" / "_static"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
# name, width, height, color scheme, element to scroll to
PICTURES = (
    ("report-desktop", 1200, 1150, "light", None),
    ("report-phone", 390, 844, "light", None),
    ("report-dark", 1200, 1000, "dark", "#trial"),
    ("report-segment", 1200, 900, "light", "#segments .above"),
)

GALLERY = ("systems", "agreement", "orange", "king", "king-path", "people-system", "references", "breakdown-1-chrF")


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is required; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "report.html"
        if len(sys.argv) == 1:
            subprocess.run(["tarocco", "demo", "--report", str(report)], check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for picture in PICTURES:
            take(browser, report.resolve(), *picture)
        browser.close()
        draw(report, Path(folder) / "figures")


def draw(report: Path, folder: Path) -> None:
    """Write the plots of the gallery."""
    for path in write_figures(read_payload(report.read_text("utf-8"), str(report)), folder):
        if path.suffix == ".svg" and path.stem in GALLERY:
            shutil.copyfile(path, STATIC / f"gallery-{path.stem}.svg")
            print(f"docs/_static/gallery-{path.stem}.svg: {path.stat().st_size / 1000:.0f} kB")


def take(browser: Browser, report: Path, name: str, width: int, height: int, scheme: str, place: str | None) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page.emulate_media(reduced_motion="reduce")
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-drawn]", state="attached")
    if place is not None:
        page.eval_on_selector(place, "one => one.scrollIntoView()")
    page.wait_for_timeout(300)
    page.screenshot(path=STATIC / f"{name}.png")
    print(f"docs/_static/{name}.png: {(STATIC / f'{name}.png').stat().st_size / 1000:.0f} kB")
    page.close()


if __name__ == "__main__":
    main()
