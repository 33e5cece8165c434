"""The chat: what a turn shows, what the guard refuses, and the real page in a real browser."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from glossbot import paths, weights
from glossbot.answer import Answer, Event, EvidenceCard, Origin, Reason, Sentence
from glossbot.bot import Glossbot
from glossbot.embed import Embedder
from glossbot.entry import Contrast, Entry, Glossary, Place
from glossbot.errors import AddressError, EngineError
from glossbot.index import Index
from glossbot.manifest import Kind
from glossbot.server import app, markup
from glossbot.server.chat import Running
from glossbot.server.turn import Turn, View
from glossbot.settings import Settings

COMPARE = "difference between GQA and MQA"
SCRIPT = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>${window.pwned=1}{{window.pwned=1}}"
HOSTILE = f"""\
# Hostile

## zorblax

- Also called: {SCRIPT}, abc\u202etfel
- Related: {SCRIPT}

Zorblax {SCRIPT} is a thing. ![x](http://192.0.2.1/x.png) [go](javascript:window.pwned=1) [1][1] \u202eright to left
<iframe src="http://192.0.2.1/"></iframe>

| {"a | " * 40}
|{"---|" * 40}
| {"b | " * 40}

{"x" * 600}

- vs quibble: Zorblax {SCRIPT} is loud, whereas quibble is quiet.

## quibble

- Also called: <b onclick=window.pwned=1>q</b>

Quibble is quiet. Quibble does not move.
"""
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


# What a turn shows


def views(bot: Glossbot, question: str, history: Sequence[Answer] = ()) -> list[View]:
    return list(Turn(question).run(bot, history, cancel=threading.Event()))


def test_cards_come_before_the_first_sentence(small_bot: Glossbot) -> None:
    shown = views(small_bot, COMPARE)
    first = next(view for view in shown if view.cards)
    assert first.sentences == ()
    assert first.running
    assert first.cards.count("<details") == 2
    assert "grouped-query attention" in first.cards
    assert "small.md:3" in first.cards
    assert "gb-contrast" in shown[-1].sentences[0]
    assert re.findall(r">\[(\d)\]</a>", shown[-1].sentences[0]) == ["1", "2"]
    assert not shown[-1].running
    assert not shown[-1].progress


def test_markers_lead_to_the_cards_of_their_own_answer(small_bot: Glossbot) -> None:
    first, second = views(small_bot, COMPARE)[-1], views(small_bot, COMPARE)[-1]
    ids = set(re.findall(r' id="([^"]+)"', first.cards))
    links = set(re.findall(r'href="#([^"]+)"', "".join(first.sentences)))
    assert links <= ids
    assert links
    assert ids.isdisjoint(re.findall(r' id="([^"]+)"', second.cards))


def test_a_follow_up_is_shown_as_understood(small_bot: Glossbot) -> None:
    turn = Turn("What is GQA?")
    list(turn.run(small_bot, (), cancel=threading.Event()))
    assert turn.answer
    assert "multi-query attention" in views(small_bot, "and MQA?", [turn.answer])[-1].cards


def test_what_is_missing_is_said_in_words(small_bot: Glossbot) -> None:
    last = views(small_bot, "difference between GQA and FooAttention")[-1]
    assert "Covered in part" in last.status
    assert "FooAttention" in last.status
    refused = views(small_bot, "what is FooAttention")[-1]
    assert "Not covered" in refused.status
    assert not refused.cards


@pytest.mark.parametrize("question", ["", "  \n", "x" * 5000])
def test_a_question_that_cannot_be_asked_is_a_message(small_bot: Glossbot, question: str) -> None:
    last = views(small_bot, question)[-1]
    assert 'role="alert"' in last.end
    assert last.refused
    assert not last.running


class Failing:
    """A bot that cannot answer."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def stream(self, *_: Any, **__: Any) -> Iterator[Event]:
        raise self.error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EngineError("The embedder is broken: <b>fetch it again</b>."), "fetch it again"),
        (ValueError("secret"), "went wrong"),
    ],
)
def test_a_failure_is_a_message_and_never_a_trace(error: Exception, message: str) -> None:
    turn = Turn("What is GQA?")
    *_, last = turn.run(Failing(error), (), cancel=threading.Event())  # type: ignore[arg-type]
    assert message in last.end
    assert "secret" not in last.end
    assert "<b>" not in last.end
    assert turn.answer is None


def test_a_stopped_turn_says_so_and_keeps_its_cards(small_bot: Glossbot) -> None:
    cancel = threading.Event()
    turn = Turn(COMPARE)
    for view in turn.run(small_bot, (), cancel=cancel):
        if view.sentences:
            cancel.set()
    assert "Stopped" in turn.view.end
    assert turn.view.cards
    assert turn.answer is None


def test_leaving_closes_the_answer(small_bot: Glossbot) -> None:
    cancel = threading.Event()
    shown = Turn(COMPARE).run(small_bot, (), cancel=cancel)
    next(shown)
    next(shown)
    shown.close()  # type: ignore[attr-defined]
    assert cancel.is_set()
    assert views(small_bot, COMPARE)[-1].sentences


def test_stop_reaches_the_questions_of_one_session_alone() -> None:
    running = Running()
    mine, other = running.begin("a"), running.begin("b")
    running.stop("a")
    assert mine.is_set()
    assert not other.is_set()
    running.end("a", mine)
    running.stop("a")
    running.stop_all()
    assert other.is_set()


# What text becomes


@pytest.mark.parametrize("render", [markup.text, markup.definition, markup.inline])
def test_text_cannot_become_anything_else(render: Any) -> None:
    shown = render(SCRIPT + " ![x](http://192.0.2.1/x.png) [a](javascript:alert(1))\x00\x1b")
    assert not re.search(r"<(?!/?(?:bdi|p|em|a)\b)", shown)
    assert not re.search(r"<[^>]*javascript:", shown)
    assert "\x1b" not in shown
    assert "&lt;script&gt;" in shown


def test_definitions_keep_their_markdown() -> None:
    shown = markup.definition("Some *text*, `code` and [a page](https://example.org).\n\n- one\n- two")
    assert "<em>text</em>" in shown
    assert "<code>code</code>" in shown
    assert "<li>one</li>" in shown
    assert 'rel="noopener noreferrer nofollow"' in shown


def test_a_card_says_where_an_entry_comes_from_and_is_only_text() -> None:
    found = EvidenceCard(
        n=1,
        entry_id="x",
        term=SCRIPT,
        names=(SCRIPT, SCRIPT),
        definition=SCRIPT,
        file=f"/a/{SCRIPT}.md",
        line=3,
        url='https://example.org/"><script>x',
        others=(Place(file="b.md", line=4, url="javascript:alert(1)"),),
        language='de"><script>',
        attribution=f"CC BY 4.0 {SCRIPT}",
        reason=Reason.NAMED,
        score=1.0,
    )
    shown = markup.card(found, turn="t", unfolded=True)
    assert "<script" not in shown
    assert "javascript:" not in re.sub(r"&lt;script.*?script&gt;", "", shown)
    assert "b.md:4" in shown
    assert "CC BY 4.0" in shown
    assert 'href="https://example.org/&quot;&gt;' in shown
    for unsafe in ("javascript:alert(1)", "data:text/html,x", "//example.org", None):
        assert "gb-link" not in markup.card(found.model_copy(update={"url": unsafe}), turn="t", unfolded=True)


def test_each_origin_looks_different() -> None:
    shown = {
        origin: markup.sentence(Sentence(text="Text.", origin=origin), turn="t", terms=[], after=None)
        for origin in Origin
    }
    assert len({re.sub("<span.*?</span>", "", html) for html in shown.values()}) == len(Origin)
    assert "model" in shown[Origin.MODEL]


def test_examples_come_from_the_glossary(shipped: Glossary) -> None:
    found = markup.examples(shipped)
    assert [example.kind for example in found] == ["Compare", "Compare", "Define", "Define"]
    lonely = Entry(
        id="a", term="a", definition="A.", file="f", line=1, contrasts=(Contrast(other="b", text="x", line=1),)
    )
    assert [example.question for example in markup.examples(Glossary(entries=(lonely,)))] == ["What is a?"]
    assert markup.welcome(Glossary(entries=())) == ""


# The address


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressError, match=rf"Port {port} on 127.0.0.1 is in use"):
            app.run(Settings(port=port))


def test_a_host_that_is_not_ours_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", find)
    with pytest.raises(AddressError, match=r"Cannot listen on 192\.0\.2\.1"):
        app.run(Settings(host="192.0.2.1", port=0))


def test_a_host_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", find)
    with pytest.raises(AddressError, match="'no-such-host' cannot be found"):
        app.run(Settings(host="no-such-host", port=0))


def test_an_index_that_cannot_be_used_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: Settings) -> Glossbot:
        raise EngineError("no index")

    monkeypatch.setattr(Glossbot, "load", load)
    with pytest.raises(EngineError):
        app.run(Settings(port=0))


# The page


@dataclass(frozen=True)
class Server:
    """A running chat."""

    url: str
    port: int
    netlog: Path


@pytest.fixture(scope="module")
def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    problem = "no chromium, chromium-browser or google-chrome on PATH: the page cannot be tried"
    if os.environ.get("CI") == "true":
        pytest.fail(problem)
    pytest.skip(problem)


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The real program in a process of its own, on part of the shipped glossary and some hostile entries."""
    root = tmp_path_factory.mktemp("chat")
    home, work, temporary = root / "home", root / "work", root / "temporary"
    for folder in (work, temporary):
        folder.mkdir()
    (root / "hostile.md").write_text(HOSTILE, encoding="utf-8")
    checkout = paths.checkout()
    assert checkout
    models = checkout / "models"
    embedder = weights.locate("all-minilm-l6-v2", kind=Kind.EMBEDDER, models_dir=models)
    sources = [paths.shipped_corpus() / "attention.md", root / "hostile.md"]
    index_file = home / "index" / "glossary.index"
    index_file.parent.mkdir(parents=True)
    Index.build(sources, Embedder(embedder))[0].save(index_file)
    environment = os.environ | {
        "GLOSSBOT_HOME": str(home),
        "GLOSSBOT_EMBEDDER": str(embedder),
        "GLOSSBOT_MODEL": str(weights.locate("smollm2-135m-instruct", kind=Kind.LLM, models_dir=models)),
        "GLOSSBOT_TITLE": f"Terms {SCRIPT}",
        "GLOSSBOT_PORT": "0",
        "TMPDIR": str(temporary),
    }
    code = "from glossbot.server.app import run; from glossbot.settings import Settings; run(Settings.load())"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        found = re.fullmatch(r"glossbot: (http://127\.0\.0\.1:(\d+))  \(Ctrl-C stops\)\n", line)
        try:
            assert found, f"{line}{process.stderr.read()}" if process.poll() is not None else line
            yield Server(url=found[1], port=int(found[2]), netlog=root / "netlog.json")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                _, said = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert process.returncode == 0
    assert said == ""
    assert list(work.iterdir()) == []  # Gradio leaves nothing behind
    assert list(temporary.iterdir()) == []


@pytest.fixture(scope="module")
def browser(chromium: str, server: Server) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        flags = [*FLAGS, f"--log-net-log={server.netlog}"]
        started = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield started
        started.close()
    # The browser's own network log, of all that a page began; what the browser wants for itself is its owner's matter.
    log = json.loads(server.netlog.read_text(encoding="utf-8"))
    started_by = [event["params"] for event in log["events"] if "initiator" in event.get("params", {})]
    urls = {found["url"] for found in started_by if found["initiator"] == server.url}
    assert urls
    assert {url for url in urls if not url.startswith((f"{server.url}/", "data:", "blob:"))} == set()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    yield from _page(browser, server, width=1200)


def _page(browser: Browser, server: Server, *, width: int, scheme: Any = "light") -> Iterator[Page]:
    """Open the page; afterwards, nothing has run, been fetched from elsewhere or been complained of."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.set_default_timeout(120_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on(
        "request",
        lambda sent: None if sent.url.startswith((f"{server.url}/", "data:", "blob:")) else problems.append(sent.url),
    )
    page.goto(server.url)
    page.locator(".gb-example").first.wait_for()
    yield page
    assert page.evaluate("window.pwned") is None
    assert page.locator(".gb-log img, .gb-log script, .gb-log iframe").count() == 0
    assert problems == []
    context.close()


def ask(page: Page, question: str, *, wait: bool = True) -> Locator:
    """Ask, and return the turn."""
    turns = page.locator(".gb-turn")
    turn = turns.nth(turns.count())
    page.get_by_label("Your question").fill(question)
    page.get_by_label("Your question").press("Enter")
    if wait:
        expect(turn).to_have_attribute("aria-busy", "false", timeout=120_000)
    return turn


@pytest.mark.browser
@pytest.mark.models
class TestPage:
    """The real program in a real browser."""

    def test_a_comparison_and_its_markers(self, page: Page) -> None:
        turn = ask(page, COMPARE)
        cards = turn.locator(".gb-card")
        expect(cards).to_have_count(2)
        expect(cards.first.locator(".gb-term")).to_have_text("grouped-query attention")
        expect(cards.first.locator(".gb-place")).to_contain_text("attention.md:5")
        contrast = turn.locator(".gb-contrast").first
        expect(contrast.locator(".gb-marker")).to_have_text(["[1]", "[2]"])
        cards.nth(1).locator("summary").click()
        expect(cards.nth(1)).not_to_have_attribute("open", "")
        contrast.get_by_role("link", name="Source 2: multi-query attention").click()
        expect(cards.nth(1)).to_have_class(re.compile("gb-chosen"))
        expect(cards.nth(1)).to_have_attribute("open", "")
        expect(cards.nth(1).locator("summary")).to_be_focused()
        expect(cards.nth(1)).to_be_in_viewport()
        contrast.locator(".gb-marker").first.focus()
        page.keyboard.press("Enter")
        expect(cards.first).to_have_class(re.compile("gb-chosen"))
        expect(cards.nth(1)).not_to_have_class(re.compile("gb-chosen"))
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()

    def test_a_follow_up_knows_what_was_asked(self, page: Page) -> None:
        ask(page, "What is MQA?")
        turn = ask(page, "how does it differ from GQA?")
        expect(turn.locator(".gb-card")).to_have_count(2)
        expect(turn.locator(".gb-slot-note")).to_contain_text("Understood as")

    def test_a_refusal_and_a_term_to_ask_for_instead(self, page: Page) -> None:
        turn = ask(page, "who won the 2018 world cup")
        expect(turn.locator(".gb-verdict")).to_have_text("Not covered by the glossary")
        expect(turn.locator(".gb-card")).to_have_count(0)
        turn = ask(page, "What is grouped-query attention?")
        turn.locator(".gb-ask").first.click()
        expect(page.locator(".gb-turn").nth(2)).to_have_attribute("aria-busy", "false")
        expect(page.locator(".gb-turn").nth(2).locator(".gb-card").first).to_be_visible()

    def test_an_example_is_asked(self, page: Page) -> None:
        page.locator(".gb-example").first.click()
        expect(page.locator(".gb-turn .gb-card").first).to_be_visible()
        expect(page.locator(".gb-welcome")).to_be_hidden()

    def test_what_is_missing(self, page: Page) -> None:
        turn = ask(page, "difference between GQA and FooAttention")
        expect(turn.locator(".gb-slot-status")).to_contain_text("FooAttention")
        expect(turn.locator(".gb-card")).to_have_count(1)

    def test_an_empty_question(self, page: Page) -> None:
        turn = ask(page, "   ")
        expect(turn.get_by_role("alert")).to_contain_text("empty")
        long = "x " * 1500
        turn = ask(page, long)
        expect(turn.get_by_role("alert")).to_be_visible()
        expect(page.get_by_label("Your question")).to_have_value(long)

    def test_stop_and_ask_again(self, page: Page) -> None:
        question = "compare MQA, GQA and MLA"  # asked nowhere else, so it was not answered before
        turn = ask(page, question, wait=False)
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(turn.locator(".gb-remark")).to_have_text("Stopped.")
        expect(turn).to_have_attribute("aria-busy", "false")
        expect(ask(page, question).locator(".gb-contrast").first).to_be_visible()

    def test_a_hostile_question_is_text(self, page: Page) -> None:
        turn = ask(page, f"what is {SCRIPT} \u202eabc")
        expect(turn.locator("h2")).to_contain_text("<script>window.pwned=1</script>${window.pwned=1}")
        expect(turn.locator("h2 *")).to_have_count(1)

    def test_a_hostile_entry_is_text(self, page: Page) -> None:
        expect(page.locator("h1")).to_contain_text(SCRIPT)
        turn = ask(page, "difference between zorblax and quibble")
        # The reader has taken the tags out already.
        expect(turn.locator(".gb-definition").first).to_contain_text("${window.pwned=1}window.pwned=1 is a thing")
        expect(turn.locator(".gb-aliases").first).to_contain_text("window.pwned=1")
        expect(turn.locator(".gb-definition script, .gb-aliases img, .gb-aliases script")).to_have_count(0)
        expect(turn.locator(".gb-contrast")).to_contain_text("${window.pwned=1}")
        assert all(
            link.startswith("#")
            for link in turn.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
            if "192.0.2.1" not in link
        )
        turn.locator(".gb-card *").first.hover()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1200

    def test_a_phone(self, browser: Browser, server: Server) -> None:
        for page in _page(browser, server, width=360):
            for question in (COMPARE, "difference between zorblax and quibble", "x" * 300):
                ask(page, question)
                assert page.evaluate("document.documentElement.scrollWidth") == 360
            box = page.get_by_label("Your question").bounding_box()
            assert box
            assert 0 < box["x"] < 60

    def test_dark(self, browser: Browser, server: Server) -> None:
        for page in _page(browser, server, width=800, scheme="dark"):
            turn = ask(page, COMPARE)
            channels = turn.locator(".gb-card").first.evaluate("card => getComputedStyle(card).backgroundColor")
            assert max(int(channel) for channel in re.findall(r"\d+", channels)) < 80
            channels = turn.locator(".gb-definition").first.evaluate("text => getComputedStyle(text).color")
            assert min(int(channel) for channel in re.findall(r"\d+", channels)) > 180

    @pytest.mark.parametrize(
        ("method", "path", "headers", "status"),
        [
            ("GET", "/", {}, 200),
            ("POST", "/gradio_api/queue/join", {"Origin": "https://example.org"}, 403),
            ("GET", "/", {"Origin": "null"}, 403),
            ("GET", "/", {"Host": "example.org"}, 400),
            ("GET", "/gradio_api/file=/etc/hostname", {}, 404),
            ("POST", "/gradio_api/upload", {}, 404),
            ("GET", "/gradio_api/proxy=https://example.org/x", {}, 404),
        ],
    )
    def test_the_guard(self, server: Server, method: str, path: str, headers: dict[str, str], status: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.headers["Access-Control-Allow-Origin"] is None
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        answer.read()
        connection.close()
