"""Download one file from the Hugging Face hub (or a mirror), continued where an earlier download broke off."""

import email.utils
import os
import re
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from glossbot.errors import DownloadError, ModelCorruptError
from glossbot.manifest import ModelFile
from glossbot.weights import Progress

if TYPE_CHECKING:
    import httpx

HUB = "https://huggingface.co"
_MOST_RETRY_AFTER_S = 60.0
_WORTH_ANOTHER_TRY = 1 << 20  # bytes: a try that brought so many does not count as failed
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")

Advance = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a server is waited for, and how often it is asked again."""

    tries: int = 5
    backoff_s: float = 1.0  # doubled after each try
    connect_timeout_s: float = 15.0
    read_timeout_s: float = 30.0


class _PassingError(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, *, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


def refuse_offline() -> None:
    """Raise `DownloadError` where ``HF_HUB_OFFLINE`` forbids every connection to the hub."""
    if os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in ("1", "ON", "YES", "TRUE"):
        raise DownloadError("HF_HUB_OFFLINE is set, so the hub is not asked; unset it to fetch this model")


def address(repository: str, member: str) -> str:
    """Return the URL of a repository's file, under ``HF_ENDPOINT`` where that is set."""
    base = (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    return f"{base}/{urllib.parse.quote(repository)}/resolve/main/{urllib.parse.quote(member)}"


def download(url: str, part: Path, *, file: ModelFile, label: str, progress: Progress, patience: Patience) -> None:
    """Complete a partial file; its SHA-256 is left to the caller to check.

    Args:
        url: where the file is.
        part: where to write it; what is there already is taken for its beginning.
        file: the size that it has to have.
        label: what it is called towards ``progress``.
        progress: told how many bytes are there.
        patience: how long the server is waited for, and how often asked again.

    Raises:
        DownloadError: the server cannot be reached, refuses, or breaks off too often; ``part`` stays.
        ModelCorruptError: the server's file has another size.
    """
    import httpx

    timeout = httpx.Timeout(patience.read_timeout_s, connect=patience.connect_timeout_s)
    failed = 0
    part.touch()
    with httpx.Client(follow_redirects=True, timeout=timeout) as client:
        while (before := _size(part)) != file.size:
            try:
                _continue(client, url, part, file, lambda done: progress(label, done, file.size))
            except (_PassingError, httpx.TransportError) as error:
                if isinstance(error, httpx.UnsupportedProtocol):
                    raise DownloadError(f"{url}: not an address; is HF_ENDPOINT right?") from error
                failed = 1 if _size(part) - before > _WORTH_ANOTHER_TRY else failed + 1
                if failed >= patience.tries:
                    raise DownloadError(f"{url}: {_reason(error)} ({failed} tries)") from error
                pause = error.after_s if isinstance(error, _PassingError) else None
                time.sleep(patience.backoff_s * 2 ** (failed - 1) if pause is None else pause)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise DownloadError(f"{url}: {_reason(error)}") from error


def _continue(client: "httpx.Client", url: str, part: Path, file: ModelFile, advance: Advance) -> None:
    """Ask for the bytes that are missing and append them."""
    here = _size(part)
    if here > file.size:
        part.unlink()
        here = 0
    # A compressed answer could not be continued at a byte of the file.
    headers = {"Accept-Encoding": "identity", "User-Agent": "glossbot"}
    if here:
        headers["Range"] = f"bytes={here}-"
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == 416:
            part.unlink(missing_ok=True)
            raise _PassingError("the server cannot continue the download (HTTP 416)", after_s=0)
        if response.status_code == 429 or response.status_code >= 500:
            raise _PassingError(
                f"HTTP {response.status_code}", after_s=_retry_after(response.headers.get("Retry-After"))
            )
        if response.status_code not in (200, 206):
            raise DownloadError(f"{url}: HTTP {response.status_code}")
        start, total = _extent(response)
        if start not in (0, here):
            part.unlink()
            raise _PassingError("the server continued the download at another byte", after_s=0)
        # The part stays: a network's log-in page, too, is a file of another size.
        if total not in (None, file.size):
            raise ModelCorruptError(f"{url} has {total} bytes instead of {file.size}")
        # A server that ignores Range sends the whole file with 200: begin again.
        done = start
        with part.open("ab" if start else "wb") as out:
            for chunk in response.iter_bytes():
                done += len(chunk)
                if done > file.size:
                    break
                out.write(chunk)
                advance(done)
    if done > file.size:
        part.unlink()
        raise ModelCorruptError(f"{url} has more than {file.size} bytes")
    if done < file.size:
        raise _PassingError(f"the connection ended after {done} of {file.size} bytes")


def _extent(response: "httpx.Response") -> tuple[int, int | None]:
    """Return the byte that an answer begins at and the size of the whole file, as far as the server states them."""
    if response.status_code == 206:
        stated = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
        if not stated:
            return -1, None
        return int(stated[1]), None if stated[2] == "*" else int(stated[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdigit() and not response.headers.get("Content-Encoding") else None


def _retry_after(value: str | None) -> float | None:
    """Return the seconds that a server asks to wait for, within reason; None where it does not say."""
    if not value:
        return None
    if value.strip().isdigit():
        return min(float(value), _MOST_RETRY_AFTER_S)
    try:
        seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except ValueError:
        return None
    return min(max(seconds, 0.0), _MOST_RETRY_AFTER_S)


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
