"""Record files: verified before they are written, and written completely or not at all."""

import os
from pathlib import Path

import msgspec

from splito_arena.blocks.results import Block
from splito_engine.errors import BadOption
from splito_engine.record import Record, encode, verify


def check_place(path: Path, what: str = "record") -> None:
    """Raise `BadOption` before a match if the file cannot be written. Only regular files are replaced, no devices."""
    if (path.exists() and not path.is_file()) or not path.absolute().parent.is_dir():
        raise BadOption(f"no {what} can be written to {path}: name a file in a folder that exists", field=what)


def write_record(path: Path, record: Record) -> None:
    raw = encode(record)
    verify(raw)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(raw)
    draft.replace(path)


def write_records(folder: Path | None, game: str, block: Block) -> Block:
    """Write the records of a block to the folder, if there is one. Return the block without records, to save memory."""
    for number, result in enumerate(block.results):
        if folder is not None and result.record is not None:
            write_record(folder / f"{game}-{block.number:05}-{number:02}.json", result.record)
    bare = tuple(msgspec.structs.replace(result, record=None) for result in block.results)
    return msgspec.structs.replace(block, results=bare)
