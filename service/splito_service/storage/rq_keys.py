"""Names of RQ: its queue of shifts, and the key under which it keeps its workers."""

QUEUE = "shifts"
WORKERS = f"rq:workers:{QUEUE}"
