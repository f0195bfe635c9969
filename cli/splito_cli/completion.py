"""Shell completion: `splito --install-completion` writes a script that knows all commands and options."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from splito_engine.errors import BadOption

INSTALL = "--install-completion"

Shell: TypeAlias = Literal["bash", "zsh", "fish", "powershell"]


def install_completion(install: Callable[[Shell], Path]) -> Callable[..., None]:
    """Return the command that installs the completion by the given function."""

    def command(*, shell: Shell | None = None) -> None:
        """Install shell completion: the Tab key then completes commands and options.

        It writes the script to the folder of your shell, and a line that loads it to the shell's start-up file. Run it
        again after an update.

        Parameters
        ----------
        shell
            The shell; without it, the one that you use.
        """
        path = install(shell or _detected())
        sys.stdout.write(f"The completion is in {path}. Start a new shell to use it.\n")

    return command


def _detected() -> Shell:
    from cyclopts.completion.detect import ShellDetectionError, detect_shell  # noqa: PLC0415 (for this command alone)

    try:
        return detect_shell()
    except ShellDetectionError:
        raise BadOption(
            "the shell cannot be detected: name it with --shell bash, zsh, fish or powershell", field="shell"
        ) from None
