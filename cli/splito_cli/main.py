"""The program: its commands, and how it says that something is wrong.

Whatever a person or a file can get wrong ends in one line on stderr, with a stable code and what to do next, and in
exit code 2. A traceback is a bug of ours.
"""

import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from splito_cli import (
    bot_check,
    bot_new,
    bot_resend,
    bot_serve,
    bots,
    experiment,
    games,
    keys,
    match,
    play,
    prune,
    rules,
    serve,
    settings,
    simulate,
    tournament,
    verify,
    worker,
)
from splito_cli.screen import printable, shortened
from splito_engine.errors import GameError

WRONG = 2
NEXT = {
    "unknown-game": "`splito games` lists the games",
    "bad-bot": "`splito bots` lists the bots",
    "bad-option": "`splito COMMAND --help` lists what can be set",
    "bad-dump": "fetch it anew, in case that went wrong; if it stays like this, it is not what was played",
    "bad-deck": "name a deck file of yours (--option deck=FILE to play, --deck FILE to verify or serve a bot), or none",
    "bad-setting": "correct or unset it; `splito settings` then lists all of them",
    "no-server": "`splito settings` shows which server and which folder are used",
    "no-port": "choose another with --port, or --port 0 for any that is free",
    "no-worker": "what it said stands above this line; without a plugin or setting of yours, it is a bug of ours",
    "unavailable": "see that Redis runs there; `splito settings` shows which one is used",
    "unreachable": "start it, and see that it answers there: curl URL/info, or URL/health/ready of a service",
    "unplayable": "look at what was said above; it is no bot's fault",
    "bad-address": "write it as http://host:port, the address of the bot without /ask",
    "bad-secret": "copy the whole secret of the bot, `whsec_` included",
    "wrong-players": "choose another number with --players",
    "unknown-version": "take a version of this program that has these rules",
    "usage": "`splito --help` shows how it is called",
    "unwritable": "choose another place for the file",
}
"""What to do about an error, by its code."""

app = App(
    name="splito",
    help="Play Splito, Split it! and Splitter, let bots play, and check the records of matches.",
    help_format="markdown",
    help_epilogue="Start with: `splito play splito`",
    version=version("splito-arena"),
    default_parameter=Parameter(negative=(), json_list=False, json_dict=False),
)


bot = App(name="bot", help="For authors of bots: begin one, serve it, check it, try again what it was asked.")
app.command(bot)

cup = App(name="tournament", help="For organisers: hold a tournament in a service, watch it, stop it, check its dump.")
app.command(cup)


keys_of_service = App(name="keys", help="For operators: show and rotate the keys of a service.")
app.command(keys_of_service)


def _add(command: Callable[..., object], name: str, examples: Sequence[str], to: App = app) -> None:
    to.command(command, name=name, help_epilogue="Examples:\n\n```\n" + "\n".join(examples) + "\n```")


_add(play.play, "play", play.EXAMPLES)
_add(simulate.simulate, "simulate", simulate.EXAMPLES)
_add(match.match, "match", match.EXAMPLES)
_add(experiment.experiment, "experiment", experiment.EXAMPLES)
_add(rules.rules, "rules", rules.EXAMPLES)
_add(verify.verify, "verify", verify.EXAMPLES)
_add(games.list_games, "games", games.EXAMPLES)
_add(bots.list_bots, "bots", bots.EXAMPLES)
_add(bot_new.new_bot, "new", bot_new.EXAMPLES, bot)
_add(bot_serve.serve_bot, "serve", bot_serve.EXAMPLES, bot)
_add(bot_check.check_bot, "check", bot_check.EXAMPLES, bot)
_add(bot_resend.resend, "resend", bot_resend.EXAMPLES, bot)
_add(serve.serve, "serve", serve.EXAMPLES)
_add(worker.work, "worker", worker.EXAMPLES)
_add(prune.prune, "prune", prune.EXAMPLES)
_add(tournament.run, "run", tournament.RUN, cup)
_add(tournament.watch, "watch", tournament.WATCH, cup)
_add(tournament.dry_run, "dry-run", tournament.DRY_RUN, cup)
_add(tournament.state, "state", tournament.STATE, cup)
_add(tournament.verify, "verify", tournament.VERIFY, cup)
_add(keys.list_keys, "list", keys.LIST, keys_of_service)
_add(keys.rotate, "rotate", keys.ROTATE, keys_of_service)
_add(settings.list_settings, "settings", settings.EXAMPLES)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our symbols is no reason to fail
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except CycloptsError as error:
        return _complain("usage", str(error))
    except GameError as error:
        return _complain(error.code, error.message, getattr(error, "advice", ""))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: not even the last flush
        return 0
    except OSError as error:
        return _complain("unwritable", str(error))


def _run(arguments: Sequence[str]) -> int:
    result: Any = app(
        list(arguments), exit_on_error=False, print_error=False, verbose=False, result_action="return_value"
    )
    return result if isinstance(result, int) else 0


def _complain(code: str, message: str, advice: str = "") -> int:
    line, advice = printable(" ".join(message.split())), advice or NEXT.get(code, NEXT["usage"])
    sys.stderr.write(f"splito: {code}: {shortened(line.rstrip('.'))}. Next: {advice}.\n")
    return WRONG
