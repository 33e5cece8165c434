"""The application that serves the chat, and the server that runs it."""

import asyncio
import atexit
import contextlib
import errno
import functools
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from types import FrameType

import uvicorn
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from glossbot.bot import Glossbot
from glossbot.errors import AddressError, GlossbotError
from glossbot.server import chat
from glossbot.server.guard import Guard
from glossbot.settings import Settings

_LOG = logging.getLogger(__name__)
_WARM_UP_SECONDS = 4.0  # how long the models wait for a first page, which is to come up before they take the processor
_GRACE_SECONDS = 2  # for answers under way when the server is stopped
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def create_app(settings: Settings, bot: Glossbot | None = None) -> FastAPI:
    """Return the application; the models are loaded in the background once it runs.

    Args:
        settings: the settings in force.
        bot: what answers; without it, one is loaded.

    Raises:
        GlossbotError: the index or a model file cannot be used.
    """
    bot = bot or Glossbot.load(settings)
    _prepare_gradio()
    import gradio as gr

    running = chat.Running()
    warm = WarmUp(bot)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        warm.start()
        yield
        running.stop_all()
        warm.hurry()

    app = FastAPI(title=settings.title, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    # Gradio leaves the answer to foreign origins to an application that has this middleware: none is allowed.
    app.add_middleware(CORSMiddleware, allow_origins=())
    page = chat.build_page(bot, running=running, model_ready=warm.is_over, page_opened=warm.hurry)
    gr.mount_gradio_app(
        app,
        page,
        path="/",
        server_name=settings.host,
        server_port=settings.port,
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
        theme=chat.theme(),
        css=chat.static("chat.css"),
    )
    app.add_middleware(Guard, host=settings.host)
    return app


def run(settings: Settings) -> None:
    """Serve the chat until it is stopped.

    Raises:
        AddressError: the address is taken, or is none of this machine's.
        GlossbotError: the index or a model file cannot be used.
    """
    with contextlib.closing(_bind(settings.host, settings.port)) as listener, _exit_on_terminate():
        app = create_app(settings)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=_GRACE_SECONDS, ws="none"
        )
        # An open page keeps a stream open: that it is cut when the server is stopped is no error worth a trace.
        logging.getLogger("uvicorn.error").addFilter(_is_no_cut_stream)
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, address=address(listener)).run(sockets=[listener])


def _is_no_cut_stream(record: logging.LogRecord) -> bool:
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, asyncio.CancelledError) and "timeout graceful shutdown" not in record.getMessage()


def address(listener: socket.socket) -> str:
    """Return the URL under which a browser on this machine reaches a socket."""
    host, port = listener.getsockname()[:2]
    host = _WILDCARDS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class WarmUp:
    """Loads the models in the background, once; a failure is logged, and said again to whoever asks a question."""

    def __init__(self, bot: Glossbot) -> None:
        self._bot = bot
        self._hurry = threading.Event()
        self._over = threading.Event()

    def start(self) -> None:
        """Begin soon: when the first page is up, or after a few seconds without one."""
        threading.Thread(target=self._run, name="warm-up", daemon=True).start()

    def hurry(self) -> None:
        """Begin now."""
        self._hurry.set()

    def is_over(self) -> bool:
        """Tell whether the models are loaded, or cannot be."""
        return self._over.is_set()

    def _run(self) -> None:
        self._hurry.wait(_WARM_UP_SECONDS)
        try:
            self._bot.warm_up()
        except GlossbotError as error:
            _LOG.warning("%s", error)
        except Exception:
            _LOG.exception("a model could not be loaded")
        finally:
            self._over.set()


class _Server(uvicorn.Server):
    """Says where it listens, once it does."""

    def __init__(self, config: uvicorn.Config, *, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            print(f"glossbot: {self._address}  (Ctrl-C stops)", flush=True)


def _bind(host: str, port: int) -> socket.socket:
    """Take an address without listening on it yet."""
    try:
        family, kind, protocol, _, sockaddr = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise AddressError(f"The host {host!r} cannot be found: {error.strerror}. Try `--host 127.0.0.1`.") from error
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(sockaddr)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            problem = (
                f"Port {port} on {host} is in use already. Stop the program that listens there, "
                "or take another port: `--port 0` finds a free one."
            )
        elif error.errno == errno.EACCES:
            problem = f"Port {port} on {host} is not open to this user. Take one above 1023, as with `--port 7860`."
        else:
            problem = f"Cannot listen on {host}, port {port}: {error.strerror}. Try `--host 127.0.0.1`."
        raise AddressError(problem) from error
    return listener


@contextlib.contextmanager
def _exit_on_terminate() -> Iterator[None]:
    """Let SIGTERM end the program in order, so that temporary files are removed."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@functools.cache
def _prepare_gradio() -> None:
    """Set what Gradio reads when it is imported: no calls home, no files but in a folder removed at exit."""
    folder = tempfile.mkdtemp(prefix="glossbot-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {
        "GRADIO_ANALYTICS_ENABLED": "False",
        "GRADIO_TEMP_DIR": folder,
        "GRADIO_EXAMPLES_CACHE": folder,
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
