"""One real Chromium for all tests of pages, and the eyes that watch it."""

import os
import shutil
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def executable() -> str:
    """The browser's path."""
    named = os.environ.get("MISTRUST_CHROMIUM")
    if named:
        if not shutil.which(named):
            pytest.fail(f"MISTRUST_CHROMIUM names '{named}', which is no program that can be run.", pytrace=False)
        return named
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.fail(
            f"No browser: looked for {', '.join(NAMES)}. Debian: apt install chromium. Elsewhere install Chrome, or"
            " name a Chromium by MISTRUST_CHROMIUM=/path/to/it.",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable())
        yield browser
        browser.close()


@dataclass
class Watch:
    """What a page said and asked for while it was looked at."""

    page: Page
    script: bool = True
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.page.on("console", lambda m: self.said.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self._ask(request.url))
        self.page.on("requestfailed", self._fail)

    def _ask(self, url):
        if not url.startswith(("file:", "data:", "blob:", "about:")):
            self.asked.append(url)

    def _fail(self, request):
        # A browser without JavaScript drops the scripts that a page announces: that is no fault of the page.
        if self.script or request.resource_type != "script":
            self.said.append(f"failed: {request.url}")

    def faults(self) -> list[str]:
        return [f"console: {text}" for text in self.said] + [f"outside request: {url}" for url in self.asked]


@pytest.fixture
def visit(chromium):
    """Open an address in a new page: visit(url, size=..., mode="light" | "dark", script=True) -> Watch."""
    contexts = []

    def go(url, size=DESKTOP, mode="light", script=True):
        context = chromium.new_context(viewport=size, color_scheme=mode, java_script_enabled=script)
        contexts.append(context)
        watch = Watch(context.new_page(), script)
        watch.page.goto(url)
        return watch

    yield go
    for context in contexts:
        context.close()


CONTRAST = "color-contrast"  # takes three quarters of axe's time, where it looks at all that is written
LOOK = "data-looked-at"

# One of each kind of what is written: what has the same place in the same classes and the same colours and letters has
# the same contrast. A page has thousands of texts (words of code, cells of tables) and some hundred kinds.
KINDS = """([selector, mark]) => {
  const lines = new Map();
  const line = (element, top) => {
    if (!lines.has(element)) {
      const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } = getComputedStyle(element);
      const above = element === top ? "" : line(element.parentElement, top);
      const own = [element.tagName, element.getAttribute("class"), color, backgroundColor, backgroundImage, opacity];
      lines.set(element, [above, ...own, fontSize, fontWeight].join(" "));
    }
    return lines.get(element);
  };
  for (const old of document.querySelectorAll(`[${mark}]`)) old.removeAttribute(mark);
  const kinds = new Set();
  for (const top of document.querySelectorAll(selector)) {
    for (const element of [top, ...top.querySelectorAll("*")]) {
      const written = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!written && !element.matches("input, textarea")) continue;
      if (!element.checkVisibility({ visibilityProperty: true }) || kinds.has(line(element, top))) continue;
      kinds.add(line(element, top));
      element.setAttribute(mark, "");
    }
  }
  return kinds.size;
}"""


def axe_findings(page: Page, selector: str, rules: str = "all") -> list[str]:
    """Serious and critical findings of axe inside one element; `preload` would fetch, which file:// refuses.

    `rules` are "all", "colours", or "all but colours": a page's colours depend on the mode and not on its width, all
    else on its width and not on the mode.
    """
    if rules == "all":
        return axe_findings(page, selector, "all but colours") + axe_findings(page, selector, "colours")
    if rules == "colours":
        if not page.evaluate(KINDS, [selector, LOOK]):
            return []
        where, which = f"[{LOOK}]", {"runOnly": {"type": "rule", "values": [CONTRAST]}}
    else:
        where, which = selector, {"rules": {CONTRAST: {"enabled": False}}}
    options = which | {"resultTypes": ["violations"], "preload": False}
    found = Axe().run(page, context={"include": [where]}, options=options).response["violations"]
    return [
        f"axe {one['id']} ({one['impact']}): {node['html'][:160]} {'; '.join(a['message'] for a in node['any'][:1])}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:5]
    ]


@pytest.fixture(scope="session")
def axe():
    return axe_findings


def too_wide(page: Page) -> list[str]:
    """What sticks out of the page, when the page can be scrolled sideways."""
    return page.evaluate(
        """() => {
          const page = document.scrollingElement;
          if (page.scrollWidth <= page.clientWidth) return [];
          return [...document.querySelectorAll("body *")]
            .filter(e => e.getBoundingClientRect().right > page.clientWidth + 1)
            .slice(0, 3).map(e => `too wide: ${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 40)}`)
            .concat(["horizontal scroll"]);
        }"""
    )


@pytest.fixture(scope="session")
def width():
    return too_wide
