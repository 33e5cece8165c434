"""How long the second ``make chat`` takes: from the command to the page, and to a card for a question sent at once.

Run it in a checkout in which ``make test`` has run (it needs the test extra and Chromium): ``.venv/bin/python
benchmarks/start.py``. It starts the chat on a free port, drives a real browser, and ends what it started.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "difference between GQA and MQA"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def main() -> None:
    """Print the seconds from the command to each milestone."""
    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser_path, args=FLAGS) as browser,
    ):
        page = browser.new_page()
        begun = time.perf_counter()
        chat = subprocess.Popen(
            ["make", "chat", "ARGS=--port 0"], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            assert chat.stdout is not None
            address = next(line.split()[1] for line in chat.stdout if line.startswith("glossbot: http"))
            print(f"listening        {time.perf_counter() - begun:5.1f} s")
            page.goto(address)
            box = page.get_by_role("textbox")
            box.wait_for()
            print(f"page up          {time.perf_counter() - begun:5.1f} s")
            box.fill(QUESTION)
            box.press("Enter")
            page.locator(".gb-card").first.wait_for()
            print(f"first card       {time.perf_counter() - begun:5.1f} s")
            page.locator(".gb-turn[aria-busy=false]").wait_for(timeout=120_000)
            print(f"whole answer     {time.perf_counter() - begun:5.1f} s")
        finally:
            os.killpg(chat.pid, signal.SIGINT)
            chat.wait(timeout=20)


if __name__ == "__main__":
    main()
