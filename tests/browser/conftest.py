"""Chromium for tests of the page: Debian's, driven by Playwright. Under CI it must be there.

`make test-browser` runs these, not `make test`: a browser is more than most machines have.
"""

import os
import shutil

import pytest

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
REQUIRED = bool(os.environ.get("CI") or os.environ.get("TAROCCO_REQUIRE_BROWSER"))


def missing(what):
    told = f"{what} is not installed; `make test-browser` installs it, and on Debian: apt-get install chromium"
    (pytest.fail if REQUIRED else pytest.skip)(told)


@pytest.fixture(scope="session", name="browser")
def chromium():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright")
    if CHROMIUM is None:
        missing("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Opened:
    """A page that was opened, and everything that it said or asked for."""

    def __init__(self, browser, path, *, width=1280, height=900, scheme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said, self.asked, self.refused = [], [], {}
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", lambda request: self.refused.update({request.url: request.failure}))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-drawn]", state="attached", timeout=60_000)

    @property
    def wide(self):
        """How much wider the page is than its window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()


@pytest.fixture(name="open_page")
def opener(browser):
    opened = []

    def open_page(path, **options):
        opened.append(Opened(browser, path, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.context.close()


@pytest.fixture(scope="session", name="reports")
def made(tmp_path_factory):
    """Every page is made once; gives its path and its payload."""
    from findings import demo_findings, hostile_findings, large_findings

    from tarocco.render.page import segments
    from tarocco.render.page.payload import payload_of
    from tarocco.render.page.report import write_report

    folder, known = tmp_path_factory.mktemp("reports"), {}
    kinds = {"demo": demo_findings, "hostile": hostile_findings, "large": large_findings}

    def report(kind):
        if kind not in known:
            with pytest.MonkeyPatch.context() as patched:
                if kind == "demo":
                    patched.setattr(segments, "EXPLAINED", 360)
                payload = payload_of(kinds[kind]())
            path = folder / f"{kind}.html"
            write_report(payload, path)
            known[kind] = path, payload
        return known[kind]

    return report
