"""Worker process that works shifts: RQ's worker, until its standard input ends.

    python -m splito_service.workers.rq_process

Its input is a pipe of which only the process that started it holds the other end (`splito_service.processes.group`). It
forks for each shift, so its heartbeat continues, and the memory of a shift is freed at its end. If the worker is
killed, the kernel kills the shift too, so that no unknown process plays on; docs/adr/0015-shifts-and-leases.md has the
reasons.
"""

import ctypes
import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from redis.exceptions import RedisError
from rq import Worker
from rq.job import Job

from splito_service.processes.group import log_to_stderr
from splito_service.settings import read_settings
from splito_service.storage.health import KEPT, KEY
from splito_service.storage.rq_keys import QUEUE
from splito_service.storage.scripts import source
from splito_service.storage.trouble import WrongServer, check_server, logged, trouble_of
from splito_service.workers.queue import JOB, SERIALIZER, connect, place

PR_SET_PDEATHSIG = 1
"""Number of the option of Linux' `prctl` that sends a signal at the death of the parent."""
TTL = 35
"""Seconds for which RQ considers an idle worker alive without a heartbeat. It waits for a job 15 seconds less."""
HEARTBEAT = 10
"""Seconds between two heartbeats during a shift."""
MAINTENANCE = 60
"""Seconds between two clean-ups of RQ's registries."""
PAUSE = 0.5
"""Seconds between two tries to reach Redis."""

log = logging.getLogger("splito.worker")


class ShiftWorker(Worker):
    """RQ worker that stops its shift when it is told to stop, and frees the slot of a killed shift."""

    max_connection_wait_time = 1.0
    """Longest pause in seconds between two tries to connect to Redis."""

    def setup_work_horse_signals(self) -> None:
        super().setup_work_horse_signals()
        die_with(self.pid or 0)

    def handle_warm_shutdown_request(self) -> None:
        """Tell the shift to stop, so that it releases its blocks."""
        super().handle_warm_shutdown_request()
        if self.horse_pid:
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)

    def handle_work_horse_killed(self, job: Any, retpid: Any, ret_val: Any, rusage: Any) -> None:  # noqa: ARG002 (RQ's)
        """Free the slot of a killed shift at once, because its lease would block it for some seconds."""
        log.warning("shift %s was killed; its slot is free again", job.id)
        number, token = job.args
        self.connection.eval(source("workers/slot_end"), 1, place(number), token)

    def maintain_heartbeats(self, job: Job) -> None:
        """Keep the worker while Redis is away, because the shift waits for Redis too."""
        with suppress(RedisError):
            super().maintain_heartbeats(job)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends. On systems other than Linux the lease must do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent had ended before the signal was set up


def main() -> None:
    log_to_stderr()
    for name in ("rq.worker", "rq.job", "rq.registry"):
        logging.getLogger(name).setLevel(logging.WARNING)
    import_module(JOB.rpartition(".")[0])  # imported before the fork, so that each shift need not import it
    _stop_after_input()
    connection = connect(read_settings(os.environ).redis_url or "")
    options: dict[str, Any] = {
        "connection": connection,
        "serializer": SERIALIZER,
        "worker_ttl": TTL,
        "job_monitoring_interval": HEARTBEAT,
        "maintenance_interval": MAINTENANCE,
    }
    try:
        _await_redis(connection)
        ShiftWorker([QUEUE], **options).work(logging_level="WARNING")
    except RedisError as error:
        log.warning("%s", logged(error))  # the next process waits for Redis


def _await_redis(connection: Any) -> None:
    """Return when Redis can be used; until then log each new reason why it cannot."""
    said = ""
    while True:
        try:
            check_server({name: str(value) for name, value in connection.info().items()})
            connection.set(KEY, 1, ex=KEPT)
        except (RedisError, WrongServer) as error:
            if trouble_of(error).code != said:
                said = trouble_of(error).code
                log.warning("not ready yet: %s", logged(error))
            time.sleep(PAUSE)
        else:
            return


def _stop_after_input() -> None:
    """Send SIGTERM to the thread that waits for Redis when the standard input ends."""
    main_thread = threading.main_thread().ident or 0

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        signal.pthread_kill(main_thread, signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
