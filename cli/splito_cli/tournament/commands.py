"""`splito tournament`: hold a tournament in a service, watch it, change its state, check and replay its dump.

The client of the service is imported by the commands that use it, because `verify` and `replay` need none.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from splito_cli.access import MINE, Place, open_remote
from splito_cli.arguments import Json
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.terminal.screen import printable, screen, side_screen, wide_screen

RUN = (
    "splito tournament run cup.toml",
    "splito tournament run cup.toml --profile example --report cup.html --dump cup.ndjson",
    "splito tournament run cup.toml --seed friday-cup-7",
)
WATCH = (
    "splito tournament watch 06gpr1k08099qgdgdpas627q",
    "splito tournament watch 06gpr1k08099qgdgdpas627q --url http://127.0.0.1:8000",
)
DRY_RUN = ("splito tournament dry-run cup.toml",)
STATE = ("splito tournament state 06gpr1k08099qgdgdpas627q paused",)
VERIFY = (
    "splito tournament verify cup.ndjson",
    "splito tournament verify cup.ndjson --service https://arena.example",
    "splito tournament verify cup.ndjson --key arena.pub --json",
)
REPLAY = (
    "splito tournament replay cup.ndjson",
    "splito tournament replay cup.ndjson --bot Marvin=my_bots:choose",
    "splito tournament replay cup.ndjson --bot 06gpr1k08099qgdgdpas627q=http://localhost:8001 --json",
)

Id: TypeAlias = Annotated[str, Parameter(help="The id of the tournament, which `run` prints at its start.")]
File: TypeAlias = Annotated[Path, Parameter(help="The tournament in TOML: docs/tournaments.md has examples.")]
Seed: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="A seed instead of the one in the file: an unranked tournament with the same seed, bots and rules has the"
        " same deals, seats and dice again."
    ),
]
Report: TypeAlias = Annotated[Path | None, Parameter(help="A file for the report, a page with plots.")]
Dump: TypeAlias = Annotated[Path | None, Parameter(help="A file for all blocks, to recompute everything from.")]
PublicKey: TypeAlias = Annotated[
    str | None,
    Parameter(help="The public key of the arena, whpk_..., or a file with it: refuse what another key has signed."),
]
Service: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="The arena, as in http://127.0.0.1:8000: compare the signature and the commitment with what it publishes."
    ),
]
GivenBots: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help="The bot that plays for a bot of the dump, as in `--bot Marvin=my_bots:choose`: the id, version or name in"
        " the dump, and a URL, module:function or installed bot; several are possible.",
        show_default=False,
    ),
]
Dumped: TypeAlias = Annotated[Path, Parameter(help="A dump, as `--dump` of `run` writes it.")]


def run(  # noqa: PLR0913 (one parameter per option)
    file: File,
    /,
    *,
    place: Place = MINE,
    seed: Seed = None,
    report: Report = None,
    dump: Dump = None,
    json: Json = False,
) -> int:
    """Hold a tournament, and watch it to its end.

    The TOML file has the fields of the request `POST /v1/tournaments`. If it has `starts`, the command shows the
    entrants and the time that is left until then. After Ctrl-C or a lost connection the tournament goes on; `splito
    tournament watch` follows it. The exit code is 0 if the tournament finished, 1 if it was cancelled.
    """
    from splito_cli.tournament.series import check_single  # noqa: PLC0415
    from splito_cli.tournament.sign_up_page import BEFORE  # noqa: PLC0415
    from splito_cli.tournament.watch import TOURNAMENTS, Held, Home, follow, read_file  # noqa: PLC0415

    with open_remote(place) as remote:
        wanted, home = read_file(file), Home(report, dump, json)
        wanted = wanted if seed is None else {**wanted, "seed": seed}
        home.check()
        check_single(wanted)
        held = remote.send("POST", TOURNAMENTS, wanted, Held)
        text = "waits for its start" if held.progress.state in BEFORE else "has begun"
        side_screen().print(f"Tournament {printable(held.id)} {text}.", style="dim", markup=False)
        return follow(remote, held, home)


def watch(
    tournament: Id,
    /,
    *,
    place: Place = MINE,
    report: Report = None,
    dump: Dump = None,
    json: Json = False,
) -> int:
    """Watch a tournament to its end, with its standings.

    After Ctrl-C the tournament goes on. The exit code is 0 if the tournament finished, 1 if it was cancelled.
    """
    from splito_cli.tournament.watch import Held, Home, follow, path_of  # noqa: PLC0415

    with open_remote(place, keyless=True) as remote:
        home = Home(report, dump, json)
        home.check()
        return follow(remote, remote.get(path_of(tournament), Held), home)


def dry_run(file: File, /, *, place: Place = MINE, json: Json = False) -> None:
    """Print how many games a tournament would have, and how long they would take, without playing them.

    With times or a series, the command prints when sign-up and play would begin, and the bots that it would lack then.
    """
    from splito_bot.ranked import Estimate  # noqa: PLC0415
    from splito_cli.tournament.page import estimate_page  # noqa: PLC0415
    from splito_cli.tournament.series import SHOWN, next_starts, split  # noqa: PLC0415
    from splito_cli.tournament.sign_up_page import shown_time  # noqa: PLC0415
    from splito_cli.tournament.watch import TOURNAMENTS, is_endless, print_json, read_file  # noqa: PLC0415

    with open_remote(place) as remote:
        wanted, series = split(read_file(file))
        starts = next_starts(series, SHOWN) if series else []
        first = {"starts": starts[0]} if starts else {}
        found = remote.send("POST", f"{TOURNAMENTS}/dry-run", wanted | first, Estimate)
    if json:
        print_json(found)
    else:
        for start in starts:
            screen().print(f"A start would be at {shown_time(start)}.", markup=False)
        screen().print(estimate_page(str(wanted.get("name", file.stem)), found, is_endless(wanted)))


def state(
    tournament: Id,
    wanted: Literal["running", "paused", "cancelled"],
    /,
    *,
    place: Place = MINE,
    json: Json = False,
) -> None:
    """Start, pause, resume or cancel a tournament. Finished blocks count in any case.

    Parameters
    ----------
    wanted
        `running`: a tournament that waits for its time starts at once; `paused`: workers finish the blocks that they
        have begun; `cancelled`: the tournament cannot be resumed.
    """
    from splito_cli.tournament.watch import Held, path_of, print_json  # noqa: PLC0415

    with open_remote(place) as remote:
        held = remote.send("PUT", f"{path_of(tournament)}/state", {"state": wanted}, Held)
    if json:
        print_json(held.progress)
    else:
        screen().print(f"{printable(held.name)} is {held.progress.state}.", markup=False)


def verify(file: Dumped, /, *, key: PublicKey = None, service: Service = None, json: Json = False) -> None:
    """Check the dump of a tournament, and compute its standings again.

    Every game is replayed, and the names, seats, versions, faults and replacements of the dump are compared with the
    records. A dump that the arena has not signed, or that was changed since, is refused. Without `--key` and
    `--service` no service is needed, and the key is shown for you to compare. The command prints what it has verified
    and what it takes on trust. The standings need the extra `report`, because they have ratings; the checks do not. The
    exit code is 0 if the dump is right, 2 if anything is wrong.
    """
    from splito_cli.tournament.trust import Trust  # noqa: PLC0415
    from splito_cli.tournament.verify import check, checked_page  # noqa: PLC0415
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    found = check(file, Trust(key, service))
    if json:
        print_json(found)
    else:
        console = wide_screen()
        console.print(checked_page(found, console.width))


def replay(
    file: Dumped,
    /,
    *,
    bot: GivenBots = (),
    secret: Secrets = (),
    json: Json = False,
) -> int:
    """Play a tournament again from its dump, and compare every game.

    The secret that the arena publishes at the end fixes all deals, seats and dice. Bots that take their chance from the
    `seed` of each ask, as the built-in bots do, play the same games to the byte. Bots that are installed here play
    under their own names; name the others with `--bot`. Blocks of bots that are not here are left out and counted. The
    dump is checked as `verify` does. The exit code is 0 if all games that were played again are the same, 1 if a game
    differs, 2 if the dump is wrong or none of its bots is here.
    """
    from splito_cli.tournament.replay import read_given, replay_dump, replay_page  # noqa: PLC0415
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    given = read_given(bot)
    found = replay_dump(file, given, read_secrets(secret, [*given.values()]))
    if json:
        print_json(found)
    else:
        wide_screen().print(replay_page(found))
    return found.code
