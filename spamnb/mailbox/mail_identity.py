"""Identifies a mail across folders: a move changes its UID, but not its Message-ID, size and bytes."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

MOST_BYTES = 512 * 1024  # of a mail that are fetched and identify it
_DIGEST_BYTES = 16


class Identity(NamedTuple):
    """Message-ID, size and digest of a mail; the digest is None where its bytes were not fetched."""

    message_id: str
    size: int
    digest: bytes | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What a server lists cheaply; mails with the same key may still differ."""
        return self.message_id, self.size

    @property
    def needs_digest(self) -> bool:
        """Whether the key alone says too little."""
        return not self.message_id and self.digest is None

    def same_as(self, other: Identity) -> bool:
        """Tells whether two identities are of the same mail.

        >>> Identity("<a@b>", 9).same_as(Identity("<a@b>", 9, b"x"))
        True
        >>> Identity("<a@b>", 9, b"y").same_as(Identity("<a@b>", 9, b"x"))
        False
        >>> Identity("", 9).same_as(Identity("", 9, b"x"))
        False
        """
        if self.key != other.key:
            return False
        if self.digest is None or other.digest is None:
            return bool(self.message_id)
        return self.digest == other.digest


class Envelope(NamedTuple):
    """What a folder lists of a mail: UID, identity, flags, and when the server received it (seconds)."""

    uid: int
    identity: Identity
    flags: frozenset[str]
    received: float

    def with_digest(self, raw: bytes) -> Envelope:
        """Adds the digest of the mail's bytes."""
        return self._replace(identity=self.identity._replace(digest=digest_of(raw)))


def digest_of(raw: bytes) -> bytes:
    """Digests the first bytes of a mail."""
    return hashlib.sha256(raw[:MOST_BYTES]).digest()[:_DIGEST_BYTES]
