"""A stand-in for search engines: their names, their certificates, their pages. Everything runs on
127.0.0.1."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from bot.files.web_search_worker import Target, Tunnel

NAMES = ["html.duckduckgo.com", "search.brave.com", "www.mojeek.com", "www.startpage.com"]
DUCKDUCKGO, BRAVE, MOJEEK, STARTPAGE = NAMES
PAGE = """<html><body><div class="result__body"><h2><a href="x">Le BEPC</a></h2>
<a href="https://education.example/bepc">Le <b>3 juin</b>.</a></div></body></html>"""
"""As DuckDuckGo's page without scripts has a result."""
HEADERS_OF_PAGE = {"Content-Type": "text/html; charset=utf-8"}


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    host: str
    path: str
    body: str
    cookies: str


@dataclass
class Engines:
    """A running server, what it says in whose name (else 503), and what it was asked."""

    port: int
    authorities: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def tunnel(self, most: int = 8 * 1024 * 1024) -> Tunnel:
        """A tunnel in which their names lead here, and which lets nobody go anywhere else."""
        return Tunnel(
            lambda *place: place == ("127.0.0.1", self.port), self.find, most, seconds=30.0
        )

    def find(self, host: str, port: int) -> list[Target]:
        return [("127.0.0.1", self.port)] if host in NAMES else [(host, port)]


@contextmanager
def serve(folder: Path) -> Iterator[Engines]:
    make_certificates(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    server = _Server(("127.0.0.1", 0), _handler(lambda: engines))
    engines = Engines(server.server_port, str(folder / "authority.pem"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield engines
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up is no news."""


def _handler(get: Callable[[], Engines]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            engines, host = get(), self.headers["Host"]
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            engines.asked.append(Asked(host, self.path, body, self.headers.get("Cookie", "")))
            answer = engines.answers.get(host, Answer(status=503))
            self.send_response(answer.status)
            length = {"Content-Length": str(len(answer.body))}
            for name, value in (HEADERS_OF_PAGE | length | answer.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = answer  # noqa: N815 (the names that the library calls)

        def log_message(self, format: str, *args: object) -> None: ...

    return Handler


def make_certificates(folder: Path) -> None:
    """An authority, and a certificate by it for all the engines."""
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
    leaf = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "engines")])
    names = x509.SubjectAlternativeName([x509.DNSName(name) for name in NAMES])
    certificate = _begin(leaf, root, key, is_authority=False).add_extension(names, critical=False)
    for file, content in (
        ("authority.pem", _begin(root, root, authority, is_authority=True)),
        ("certificate.pem", certificate),
    ):
        signed = content.sign(authority, hashes.SHA256())
        (folder / file).write_bytes(signed.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )


def _begin(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, is_authority: bool
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
