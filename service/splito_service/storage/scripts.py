"""The scripts that run inside of Redis. What several of them need stands before each."""

from importlib.resources import files


def source(name: str, *shared: str, **constants: int) -> str:
    """Return the text of a script, after `common.lua`, the `shared` files and the constants that it needs."""
    scripts = files("splito_service.store")
    lines = [f"local {constant} = {value}\n" for constant, value in constants.items()]
    return "".join(
        [*lines, *(scripts.joinpath(f"{part}.lua").read_text("utf-8") for part in ("common", *shared, name))]
    )
