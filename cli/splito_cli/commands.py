"""The table of commands, and the program that is made of it.

A command is imported when it is called, so that `splito --help` and each command load only what they need. The
summaries stand here too, because the list of commands is printed without importing any of them; a test compares them
with the docstrings.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Literal, NamedTuple

from cyclopts import App, Parameter

from splito_cli.completion import INSTALL, install_completion
from splito_cli.extras import is_installed, require

ABOUT = "Play Splito, Split it! and Splitter, let bots play, and check the records of matches."
GROUPS = {
    "bot": "For authors of bots: create a bot, serve it, check it, register it at an arena, read its asks.",
    "tournament": "For organisers: hold tournaments and series in a service, watch them, stop them, check dumps.",
    "moderate": "For organisers: ban owners and bots, remove tournaments, read the log of these actions.",
    "keys": "For operators: show and rotate the keys of a service.",
}


class Command(NamedTuple):
    """A command of the program."""

    words: str
    """Words that a person types after `splito`."""
    target: str
    """The function, as module:function; the module is in this package."""
    summary: str
    """The first paragraph of the function's docstring."""
    extra: str | None = None
    """The extra of the distribution that it needs."""
    examples: str = "EXAMPLES"
    """The name of its examples in the module."""

    def load(self) -> tuple[Callable[..., object], Sequence[str]]:
        """Return the function and its examples. Raise `MissingExtra` if its extra is not installed."""
        require(self.extra, f"splito {self.words}")
        module_name, _, function = self.target.partition(":")
        module = import_module(f"splito_cli.{module_name}")
        return getattr(module, function), getattr(module, self.examples)


ACCOUNT_COMMANDS = (
    Command(
        "login", "account.login:login", "Log in at an arena: make an owner, or take a key that you have.", None, "LOGIN"
    ),
    Command("logout", "account.login:logout", "Remove a profile with its key.", None, "LOGOUT"),
    Command(
        "whoami", "account.login:whoami", "Show whose key the commands use, and which scopes it has.", None, "WHOAMI"
    ),
    Command(
        "profiles", "account.login:list_profiles", "List your profiles, or choose the default one.", None, "PROFILES"
    ),
    Command("bot register", "account.bots:register", "Register a bot at the arena.", None, "REGISTER"),
    Command("bot prove", "account.bots:prove", "Let a push bot prove its address, so that it is ready.", None, "PROVE"),
    Command("bot status", "account.bots:status", "Show your bots, or one of them with its ratings.", None, "STATUS"),
    Command("bot asks", "account.bots:asks", "Show the last asks of a bot, and its faults.", None, "ASKS"),
    Command("bot retire", "account.bots:retire", "Delete a bot at the arena; its past results stay.", None, "RETIRE"),
    Command("bot enter", "account.bots:enter", "Enter a bot in a ladder.", None, "ENTER"),
    Command("bot seat", "account.bots:seat", "Seat a bot at an open seat of a match.", None, "SEAT"),
)
COMMANDS = (
    Command("play", "matches.play:play", "Play a game against bots."),
    Command(
        "simulate",
        "matches.simulate:simulate",
        "Let bots play many matches, each with its own deal, and show their results with intervals.",
    ),
    Command("match", "matches.match:match", "Let bots play each other on this machine, without a server."),
    Command(
        "experiment",
        "matches.experiment:experiment",
        "Test whether the bot NEW is better than OLD, and stop as soon as the result is clear.",
    ),
    Command(
        "tune",
        "tuning.tune:tune_bot",
        "Search for the best parameters of a bot, and measure on fresh deals how much better they are.",
    ),
    Command(
        "league",
        "league.league:league",
        "Let all bots of a folder play a ladder on this machine, and write its table.",
        "report",
    ),
    Command("rules", "catalogue.rules:rules", "Show the rules of a game."),
    Command(
        "verify", "matches.verify:verify", "Check records: replay every move, and refuse records that were changed."
    ),
    Command(
        "games",
        "catalogue.games:list_games",
        "List the installed games: players, version of the rules, titles, and which rules are reconstructed.",
    ),
    Command("bots", "catalogue.bots:list_bots", "List the installed bots."),
    Command(
        "bot new",
        "bot.new:new_bot",
        "Create a folder with a bot that plays, its tests and a README.",
    ),
    Command(
        "bot serve",
        "bot.serve:serve_bot",
        "Serve a function of this machine as a bot over HTTP, until Ctrl-C or SIGTERM.",
    ),
    Command(
        "bot check",
        "bot.check:check_bot",
        "Check whether a bot is ready to play, and say how to correct what is not.",
    ),
    Command(
        "bot resend",
        "bot.resend:resend",
        "Send one ask of your bot's log again, to a bot on this machine, and compare the answers.",
    ),
    *ACCOUNT_COMMANDS,
    Command(
        "arena",
        "dashboard.arena:arena",
        "Show your bots at an arena: state, ratings, last matches, faults and answer times.",
    ),
    Command("serve", "service.serve:serve", "Serve matches over HTTP until Ctrl-C or SIGTERM.", "service"),
    Command("worker", "service.worker:work", "Play the tournaments of a service until Ctrl-C or SIGTERM.", "service"),
    Command(
        "prune",
        "service.prune:prune",
        "Show or remove expired data: old matches and tournaments, unused owners, disabled webhooks.",
        "service",
    ),
    Command(
        "openapi",
        "service.openapi:print_contract",
        "Print the OpenAPI document of the service, or of a bot.",
        "service",
    ),
    Command("tournament run", "tournament.commands:run", "Hold a tournament, and watch it to its end.", examples="RUN"),
    Command(
        "tournament watch",
        "tournament.commands:watch",
        "Watch a tournament to its end, with its standings.",
        examples="WATCH",
    ),
    Command(
        "tournament dry-run",
        "tournament.commands:dry_run",
        "Print how many games a tournament would have, and how long they would take, without playing them.",
        examples="DRY_RUN",
    ),
    Command(
        "tournament state",
        "tournament.commands:state",
        "Start, pause, resume or cancel a tournament. Finished blocks count in any case.",
        examples="STATE",
    ),
    Command(
        "tournament repeat",
        "tournament.series:repeat",
        "Create a series: the tournament of a file, again and again.",
        examples="REPEAT",
    ),
    Command(
        "tournament series",
        "tournament.series:list_series",
        "List the series of a service, with their next starts.",
        examples="SERIES",
    ),
    Command(
        "tournament stop",
        "tournament.series:stop",
        "Delete a series. The tournaments that it has created stay.",
        examples="STOP",
    ),
    Command(
        "tournament verify",
        "tournament.commands:verify",
        "Check the dump of a tournament, and compute its standings again.",
        examples="VERIFY",
    ),
    Command(
        "tournament replay",
        "tournament.commands:replay",
        "Play a tournament again from its dump, and compare every game.",
        examples="REPLAY",
    ),
    Command(
        "moderate ban-owner",
        "tournament.moderate:ban_owner",
        "Ban an owner: no bot of theirs enters or plays, and their running tournaments are cancelled.",
        examples="BAN_OWNER",
    ),
    Command(
        "moderate lift-owner-ban",
        "tournament.moderate:lift_owner_ban",
        "Lift the ban of an owner.",
        examples="LIFT_OWNER_BAN",
    ),
    Command(
        "moderate ban-bot",
        "tournament.moderate:ban_bot",
        "Ban a bot: it neither enters nor plays.",
        examples="BAN_BOT",
    ),
    Command(
        "moderate lift-bot-ban",
        "tournament.moderate:lift_bot_ban",
        "Lift the ban of a bot.",
        examples="LIFT_BOT_BAN",
    ),
    Command(
        "moderate remove-tournament",
        "tournament.moderate:remove_tournament",
        "Delete a tournament or experiment with its games. Its effect on the leaderboard stays.",
        examples="REMOVE",
    ),
    Command("moderate log", "tournament.moderate:show_log", "Show the last actions of all organisers.", examples="LOG"),
    Command("moderate bans", "tournament.moderate:show_bans", "Show the current bans.", examples="BANS"),
    Command(
        "keys list",
        "service.keys:list_keys",
        "Show the public keys of the arena and the ages of its seat-token secrets.",
        "service",
        "LIST",
    ),
    Command(
        "keys rotate",
        "service.keys:rotate",
        "Create a new key; the previous one stays accepted for a while.",
        "service",
        "ROTATE",
    ),
    Command(
        "settings",
        "service.settings:list_settings",
        "List the settings: environment variables, with their values, defaults and meanings.",
        "service",
    ),
)


def program(arguments: Sequence[str]) -> App:
    """Return the program, with the command that these arguments call, and the summaries of the others.

    Raise `MissingExtra` if the command needs an extra that is not installed.
    """
    called = " ".join([word for word in arguments if not word.startswith("-")][:2]) + " "
    is_called = any(called.startswith(f"{command.words} ") for command in COMMANDS)
    app, groups = _empty("markdown" if is_called else "plaintext")  # because Markdown takes long to import
    for command in COMMANDS:
        to, name = _place(command, app, groups)
        if called.startswith(f"{command.words} "):
            _add(to, name, command)
        else:
            to.command(f"splito_cli.{command.target}", name=name, help=command.summary)
    _add_completion(app)
    return app


def whole_program() -> App:
    """Return the program with every command whose extra is installed, all of them imported."""
    app, groups = _empty("markdown")
    for command in COMMANDS:
        if is_installed(command.extra):
            _add(*_place(command, app, groups), command)
    _add_completion(app)
    return app


def _empty(help_format: Literal["markdown", "plaintext"]) -> tuple[App, dict[str, App]]:
    """Return the program and its groups, without commands."""
    app = App(
        name="splito",
        help=ABOUT,
        help_format=help_format,
        help_epilogue="Start with: splito play splito",
        version=_version,
        default_parameter=Parameter(negative=(), json_list=False, json_dict=False),
    )
    groups = {name: App(name=name, help=about) for name, about in GROUPS.items()}
    for group in groups.values():
        app.command(group)
    return app, groups


def _place(command: Command, app: App, groups: dict[str, App]) -> tuple[App, str]:
    """Return the app that the command belongs to, and its name there."""
    group, _, name = command.words.rpartition(" ")
    return (groups[group] if group else app), name


def _add(to: App, name: str, command: Command) -> None:
    function, examples = command.load()
    to.command(function, name=name, help_epilogue="Examples:\n\n```\n" + "\n".join(examples) + "\n```")


def _add_completion(app: App) -> None:
    app.command(install_completion(lambda shell: whole_program().install_completion(shell=shell)), name=INSTALL)


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 (it loads the parser of e-mail)

    return version("splito-arena")
