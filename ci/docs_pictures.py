"""Opens pages of the documentation site in headless Chromium: ``python -m ci.docs_pictures SITE OUT``.

Each page is drawn at 1,280 pixels, and the boxes in which code would scroll sideways are counted: there must be none.
CI does so where it finds Chromium (Debian's package ``chromium``).
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

PAGES: Final = (
    "index.html",
    "packages/cartpole-jax/index.html",
    "packages/cartpole-jax/docs/translate-your-own-environment/index.html",
    "packages/puffer-pong/examples/pong/index.html",
    "shared/index.html",
    "reference/rlenv_shared/index.html",
)
WIDTH, HEIGHT = 1280, 1800
COUNT: Final = """<!doctype html><iframe id=page style="border:0;width:%dpx;height:%dpx" src="%s"></iframe><script>
document.getElementById("page").onload = event => {
  const boxes = [...event.target.contentDocument.querySelectorAll("pre, pre > code, .highlight")];
  document.title = boxes.filter(box => box.scrollWidth > box.clientWidth + 1).length + " of " + boxes.length;
};
</script>"""


def browser() -> str:
    """Chromium's program; ``SystemExit`` when there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("docs-pictures: no Chromium found; install it, e.g. apt-get install chromium")
    return found


def chromium(*arguments: str) -> str:
    """What the browser prints."""
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--allow-file-access-from-files", "--virtual-time-budget=10000", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout


def scrolling(page: Path) -> tuple[int, int]:
    """How many of a page's boxes with code scroll sideways, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        frame = Path(folder) / "frame.html"
        frame.write_text(COUNT % (WIDTH, HEIGHT, html.escape(page.resolve().as_uri())))
        shown = chromium(f"--window-size={WIDTH},{HEIGHT}", "--dump-dom", frame.as_uri())
    match = re.search(r"<title>(\d+) of (\d+)</title>", shown)
    if match is None:
        raise SystemExit(f"docs-pictures: {page} was not loaded")
    return int(match[1]), int(match[2])


def main(site: str, out: str) -> int:
    """Exit status 1 when code scrolls sideways somewhere."""
    Path(out).mkdir(parents=True, exist_ok=True)
    bad = 0
    for name in PAGES:
        page = Path(site) / name
        picture = Path(out) / (re.sub(r"\W+", "-", name.removesuffix("/index.html")) + ".png")
        chromium(f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}", page.resolve().as_uri())
        count, boxes = scrolling(page)
        bad += count
        print(f"{picture}: {count} of {boxes} boxes with code scroll sideways", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
