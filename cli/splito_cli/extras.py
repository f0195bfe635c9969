"""The extras of the distribution, and the error for a command that needs one that is not installed."""

from importlib.util import find_spec

from splito_engine.errors import GameError

EXTRAS = {
    "report": ("numpy", "plotly"),
    "parquet": ("pyarrow",),
    "service": ("litestar", "granian", "redis", "rq", "yaml", "platformdirs", "swagger_ui_bundle"),
}
"""Import packages of each extra. The service needs the other extras too."""


class MissingExtra(GameError):
    """A command needs an extra that is not installed."""

    code = "missing-extra"

    def __init__(self, what: str, extra: str, package: str) -> None:
        super().__init__(f"{what} needs the extra `{extra}`, and {package} is not installed")
        self.advice = f"pip install 'splito-arena[{extra}]'"


def require(extra: str | None, what: str) -> None:
    """Raise `MissingExtra` if a package of the extra is not installed."""
    if extra is not None and (package := _missing(extra)) is not None:
        raise MissingExtra(what, extra, package)


def is_installed(extra: str | None) -> bool:
    return extra is None or _missing(extra) is None


def missing_extra(error: ModuleNotFoundError) -> MissingExtra | None:
    """Return the error as a missing extra; None if the module that was not found belongs to no extra."""
    package = (error.name or "").partition(".")[0]
    extra = next((name for name, packages in EXTRAS.items() if package in packages), None)
    return None if extra is None else MissingExtra("this", extra, package)


def _missing(extra: str) -> str | None:
    packages = EXTRAS[extra]
    if extra == "service":
        packages += EXTRAS["report"] + EXTRAS["parquet"]
    return next((package for package in packages if find_spec(package) is None), None)
