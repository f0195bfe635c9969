"""The scripts that run inside of Redis. What several of them need stands before each."""

from importlib.resources import files


def source(name: str, *shared: str) -> str:
    """`shared` are other files that this one needs before it."""
    scripts = files("service.store")
    return "".join(scripts.joinpath(f"{part}.lua").read_text("utf-8") for part in ("common", *shared, name))
