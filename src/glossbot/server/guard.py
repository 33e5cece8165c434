"""Who may talk to the server: the page that it served, and nobody else's page.

Gradio answers any site's page, with credentials, unless the application around it decides; and some of its routes fetch
from elsewhere, or hand out files. So every request passes here first.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# The browser itself then refuses whatever a page would fetch from another origin. Gradio's page needs inline scripts
# and evaluates its templates; no text of a reader, a glossary or a model gets into either (see `markup`).
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
_HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in (
        ("content-security-policy", POLICY),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    )
)

_LARGEST_BODY = 1 << 20  # bytes; a question and the state of a page take a few thousand

# All that the page asks of Gradio. Uploads, file serving, its proxy, the run history and the rest stay shut.
_GRADIO = "/gradio_api/"
_GRADIO_OPEN = tuple(
    f"{_GRADIO}{route}"
    for route in ("queue/", "heartbeat/", "run/", "cancel", "reset", "info", "startup-events", "theme.css")
)


class Guard:
    """ASGI middleware that refuses foreign hosts, foreign origins and the Gradio routes that the page does not need."""

    def __init__(self, app: App, *, host: str) -> None:
        """Wrap an application.

        Args:
            app: what answers the requests that may pass.
            host: the address that the server listens on; a loopback address is reached by loopback names alone, which
                keeps out pages that point their own name at this machine (DNS rebinding).
        """
        self._app = app
        self._hosts = LOOPBACK | {host.lower()} if host.lower() in LOOPBACK else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if refusal := self._refusal(scope):
            await _refuse(*refusal, scope=scope, send=send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await self._app(scope, _limited(receive), send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if self._hosts is not None and _hostname(host) not in self._hosts:
            return 400, "This server answers only to the address that it listens on."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "This server answers only its own page."
        length = headers.get("content-length", "0").strip()
        if not length.isdigit() or int(length) > _LARGEST_BODY:
            return 413, "The request is too large."
        path = scope["path"]
        if path.startswith(_GRADIO) and not path.startswith(_GRADIO_OPEN):
            return 404, "There is nothing here."
        return None


def _limited(receive: Receive) -> Receive:
    """Cut a body that is sent in pieces, without saying how long it is, where it grows too large."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > _LARGEST_BODY else message

    return receive_limited


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _refuse(status: int, text: str, *, scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
