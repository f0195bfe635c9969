"""Kinds of trouble with Redis, one row each: how an error is recognised, its summary, and advice for the operator.

The `summary` is public: problems and `GET /health/ready` show it, so it names no host, user or password. The `advice`
is written to the log of the operator only.
"""

import ssl
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    MasterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
)
from redis.exceptions import ConnectionError as RedisConnectionError

OLDEST = 7
"""Oldest major version of Redis whose commands suffice for the scripts. Valkey reports 7 or more, too."""
KEEPS_ALL = "noeviction"  # the only maxmemory-policy with which Redis removes no data
LONGEST = 300
"""Maximum number of characters of an error text of Redis that are logged."""


class Trouble(NamedTuple):
    """A kind of trouble with Redis, and how it is recognised: by the class of an error or by how its text begins."""

    code: str
    summary: str
    advice: str
    errors: tuple[type[BaseException], ...] = ()
    words: tuple[str, ...] = ()

    def matches(self, error: BaseException) -> bool:
        return isinstance(error, self.errors) or bool(self.words and str(error).startswith(self.words))


class WrongServer(Exception):
    """The server answers, but must not be used: it is too old, or may evict."""

    def __init__(self, trouble: Trouble, found: str) -> None:
        super().__init__(found)
        self.trouble = trouble


OUT_OF_MEMORY = Trouble(
    "out-of-memory",
    "Redis is out of memory and refuses writes",
    "it has reached its maxmemory: raise the limit (CONFIG SET maxmemory), or remove data (splito prune)",
    errors=(OutOfMemoryError,),
)
DISK = Trouble(
    "disk",
    "Redis cannot write to its disk",
    "the disk is full or not writable: free space in the folder that CONFIG GET dir names; INFO persistence says more",
    words=("MISCONF",),
)
PASSWORD = Trouble(
    "password",
    "Redis refuses the user or the password",
    "correct both in SPLITO_REDIS_URL (rediss://user:password@host:6379/0, special characters percent-encoded)",
    errors=(AuthenticationError,),
    words=("WRONGPASS", "NOAUTH", "Authentication required"),
)
CERTIFICATE = Trouble(
    "certificate",
    "the TLS certificate of Redis is not trusted",
    "name its authority (?ssl_ca_certs=/path/to/ca.pem in SPLITO_REDIS_URL), and check that it is valid for the host",
    errors=(ssl.SSLCertVerificationError,),
)
TLS = Trouble(
    "tls",
    "no TLS connection to Redis can be made",
    "check that the server uses TLS at this port (rediss://), or use an address without TLS (redis://)",
    errors=(ssl.SSLError,),
)
EVICTING = Trouble(
    "evicting",
    "Redis may evict matches to save memory",
    "set maxmemory-policy noeviction and appendonly yes, in its configuration and with CONFIG SET",
)
TOO_OLD = Trouble(
    "too-old",
    f"Redis is older than version {OLDEST}",
    f"the arena needs Redis {OLDEST} or newer, or Valkey: upgrade it, or set SPLITO_REDIS_URL to another server",
)
UNREACHABLE = Trouble(
    "unreachable",
    "Redis cannot be reached",
    "check that it runs, that SPLITO_REDIS_URL is its address, and that it uses TLS if the address begins with rediss",
)
TROUBLES = (
    OUT_OF_MEMORY,
    DISK,
    PASSWORD,
    CERTIFICATE,
    TLS,
    EVICTING,
    TOO_OLD,
    Trouble(
        "permission",
        "the user of Redis may not do what the arena needs",
        "its ACL must allow all commands, keys and channels (ACL SETUSER name ~* &* +@all)",
        errors=(NoPermissionError,),
    ),
    Trouble(
        "loading",
        "Redis is still reading its data",
        "wait until it has finished; no action is needed",
        errors=(BusyLoadingError,),
    ),
    Trouble(
        "clients",
        "Redis has too many clients",
        "raise its maxclients, or close connections of other programs",
        words=("max number of clients reached",),
    ),
    Trouble(
        "replica",
        "this Redis is a replica, or its master is down",
        "set SPLITO_REDIS_URL to the address of the master, or of the Sentinels that know it",
        errors=(ReadOnlyError, MasterDownError),
    ),
    Trouble(
        "replicas",
        "Redis has too few replicas to accept writes",
        "start its replicas, or lower min-replicas-to-write",
        words=("NOREPLICAS",),
    ),
    Trouble(
        "busy",
        "Redis is busy with a script",
        "wait, or end the script with SCRIPT KILL; a script of the arena takes milliseconds",
        words=("BUSY ",),
    ),
    UNREACHABLE,
)


def trouble_of(error: BaseException) -> Trouble:
    """Return the row of the first error in the chain that has one; `UNREACHABLE` if none has."""
    return next((found for one in _chain(error) if (found := _row(one))), UNREACHABLE)


def refusal(error: RedisError) -> Trouble | None:
    """Return the row of an error by which Redis says that it is not ready; None if the command itself is wrong."""
    return _row(error) or (UNREACHABLE if isinstance(error, RedisConnectionError) else None)


def logged(error: BaseException) -> str:
    """Return the log line of an error: the trouble, the advice, and the text of the error."""
    trouble = trouble_of(error)
    said = next((one for one in _chain(error) if _row(one)), [*_chain(error)][-1])
    text = " ".join(str(said).split())[:LONGEST] or type(said).__name__
    return f"{trouble.summary}: {trouble.advice} ({text})"


def check_server(info: Mapping[str, str]) -> None:
    """Raise `WrongServer` if the fields of INFO are of a server that must not be used."""
    version = info.get("redis_version", "")
    major = version.partition(".")[0]
    if major.isdecimal() and int(major) < OLDEST:
        raise WrongServer(TOO_OLD, f"it is version {version}")
    policy = info.get("maxmemory_policy", KEEPS_ALL)
    if policy != KEEPS_ALL:
        kept = " and it keeps no append-only file" if info.get("aof_enabled") == "0" else ""
        raise WrongServer(EVICTING, f"its maxmemory-policy is {policy}{kept}")


def read_info(raw: bytes) -> dict[str, str]:
    """Return the fields of an answer to INFO."""
    lines = (line.partition(":") for line in raw.decode(errors="replace").splitlines())
    return {name: value for name, colon, value in lines if colon}


def _row(error: BaseException) -> Trouble | None:
    if isinstance(error, WrongServer):
        return error.trouble
    return next((trouble for trouble in TROUBLES if trouble.matches(error)), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes, the latest first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
