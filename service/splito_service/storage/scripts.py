"""Lua scripts that run inside Redis. The shared files are put before each of them."""

from importlib.resources import files


def source(name: str, *shared: str, **constants: int) -> str:
    """Return the text of the script `room/name`, which is `lua/name.lua` in the folder of that room.

    Before it stand the constants, `storage/lua/common.lua`, and the `shared` files of the same room.
    """
    room, _, script = name.partition("/")
    rooms = files("splito_service")
    own = (rooms / room / "lua" / f"{one}.lua" for one in (*shared, script))
    parts = [rooms / "storage" / "lua" / "common.lua", *own]
    lines = [f"local {constant} = {value}\n" for constant, value in constants.items()]
    return "".join([*lines, *(part.read_text("utf-8") for part in parts)])
