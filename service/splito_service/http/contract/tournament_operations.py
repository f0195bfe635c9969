"""What organisers, owners and everybody else can ask of the service about tournaments: one row per operation."""

from splito_arena.reports.tables import FORMS
from splito_service.http.contract.operations import BODY, EVENTS, STREAM, Link, Operation, Text, text_of
from splito_service.http.contract.owner_operations import KEY
from splito_service.http.contract.table_schemas import rows_schema
from splito_service.results.schemas import (
    Block,
    BlockPage,
    Crosstable,
    Leaderboard,
    Neighbours,
    Standings,
    TournamentOver,
    TournamentProgress,
)
from splito_service.tournaments.schemas import (
    BlocksChange,
    Estimate,
    NewTournament,
    StateChange,
    Tournament,
    TournamentPage,
)
from splito_service.tournaments.store import MOST_HELD

NDJSON = "application/x-ndjson"
HTML = "text/html"
CSV, PARQUET = (FORMS[form].media_type.partition(";")[0] for form in ("csv", "parquet"))

TOURNAMENT = ("unknown-tournament",)
RULES = ("bad-name", "bad-bot", "bad-option", "not-ready", "too-many-games")
"""What may speak against a tournament."""

_MADE = {"tournament": "$response.body#/id"}
_LISTED = {"tournament": "$response.body#/tournaments/0/id"}
_BLOCK = {"tournament": "$request.path.tournament", "block": "$response.body#/blocks/0/block"}


class Dump(Text):
    """Lines of JSON: one about the tournament, and one for each block that is over, with its records."""


class ReportPage(Text):
    """A page of HTML that needs nothing else."""


class Export(Text):
    """A table."""


OF_TOURNAMENTS = (
    Operation(
        id="createTournament",
        call="POST /v1/tournaments",
        summary="Hold a tournament",
        description="It begins at once. Every game has its own deal; games are played in balanced seatings (a block)."
        " All deals follow from a secret whose commitment is in the answer. Bots that are gone meanwhile are passed"
        " over: nobody waits for them. Where"
        " it is `ranked`, the bots must have passed the checks, and you must be an organiser of this arena. Bots of"
        f" others must be open to you (`open_to`). An owner has at most {MOST_HELD} tournaments and experiments that"
        " are not over. Your key needs the scope `play`, as for all that is done with tournaments.",
        body=NewTournament,
        status=201,
        answer=Tournament,
        headers=("Location",),
        codes=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed", "no-room"),
        links=(
            Link("getTournament", _MADE),
            Link("changeTournamentState", _MADE),
            Link("changeTournamentBlocks", _MADE),
            Link("getStandings", _MADE),
            Link("getCrosstable", _MADE),
            Link("getNeighbours", _MADE),
            Link("listBlocks", _MADE),
            Link("watchTournament", _MADE),
            Link("getDump", _MADE),
            Link("getReport", _MADE),
            Link("deleteTournament", _MADE),
        ),
    ),
    Operation(
        id="estimateTournament",
        call="POST /v1/tournaments/dry-run",
        summary="Estimate a tournament",
        description="How many games it would be, and about how long. Whatever would speak against it does so here,"
        " but for `no-room`, and nothing is made.",
        body=NewTournament,
        answer=Estimate,
        codes=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed"),
    ),
    Operation(
        id="listTournaments",
        call="GET /v1/tournaments",
        summary="List tournaments",
        description="The newest first, page by page. A page may have fewer than `limit`, even none, and still a"
        " `next`.",
        parameters=("game", "state", "owner", "cursor", "limit"),
        answer=TournamentPage,
        codes=("bad-request",),
        links=(Link("getTournament", _LISTED), Link("listTournaments", {"cursor": "$response.body#/next"})),
    ),
    Operation(
        id="getTournament",
        call="GET /v1/tournaments/{tournament}",
        summary="Look at a tournament",
        description="How it is held, who takes part, and how far it is. The secret is shown when it is over.",
        parameters=("tournament",),
        answer=Tournament,
        codes=TOURNAMENT,
        links=(Link("getStandings", _MADE), Link("listBlocks", _MADE), Link("getDump", _MADE)),
    ),
    Operation(
        id="deleteTournament",
        call="DELETE /v1/tournaments/{tournament}",
        summary="Delete a tournament",
        description="With all that was played, once it is over. What it came to on the leaderboard stays. Yours only.",
        parameters=("tournament",),
        status=204,
        codes=(*KEY, "wrong-owner", *TOURNAMENT, "not-over"),
    ),
    Operation(
        id="changeTournamentState",
        call="PUT /v1/tournaments/{tournament}/state",
        summary="Pause, resume or cancel a tournament",
        description="The same again changes nothing. What is over cannot be changed. Yours only.",
        parameters=("tournament",),
        body=StateChange,
        answer=Tournament,
        codes=(*BODY, *KEY, "wrong-owner", *TOURNAMENT, "already-over"),
        links=(Link("getTournament", _MADE),),
    ),
    Operation(
        id="changeTournamentBlocks",
        call="PUT /v1/tournaments/{tournament}/blocks",
        summary="Have more blocks played",
        description="By each table of the round that is played and of those to come, so many in all. The same again"
        " changes nothing; fewer than there are is refused. Yours only.",
        parameters=("tournament",),
        body=BlocksChange,
        answer=Tournament,
        codes=(*BODY, *KEY, "wrong-owner", *TOURNAMENT, "already-over", "too-many-games", "bad-option"),
        links=(Link("getTournament", _MADE),),
    ),
    Operation(
        id="enterTournament",
        call="PUT /v1/tournaments/{tournament}/bots/{bot}",
        summary="Enter a bot for a ladder",
        description="It plays from the next round on. A bot that had left comes back. For the owner of the bot, and for"
        " who organises the ladder if the bot is open to them and its owner has not withdrawn it.",
        parameters=("tournament", "entrant"),
        answer=Tournament,
        codes=(
            *(*KEY, *TOURNAMENT, "wrong-owner", "not-allowed", "unknown-bot"),
            *("bad-bot", "not-ready", "already-over", "bad-option", "no-room"),
        ),
        links=(Link("leaveTournament", {**_MADE, "bot": "$request.path.bot"}),),
    ),
    Operation(
        id="leaveTournament",
        call="DELETE /v1/tournaments/{tournament}/bots/{bot}",
        summary="Withdraw a bot",
        description="Its blocks that are not yet played are skipped. What it has played stays. For the owner of the"
        " bot, and for who organises the tournament. An experiment from which a bot is withdrawn is cancelled.",
        parameters=("tournament", "entrant"),
        status=204,
        codes=(*KEY, *TOURNAMENT, "wrong-owner", "unknown-bot", "bad-bot", "already-over"),
    ),
    Operation(
        id="getStandings",
        call="GET /v1/tournaments/{tournament}/standings",
        summary="Read the table",
        description="Of all blocks that are over, whatever their order: ratings with intervals, places, points, wins,"
        " faults. While it runs, and at its end.",
        parameters=("tournament",),
        answer=Standings,
        codes=TOURNAMENT,
    ),
    Operation(
        id="getCrosstable",
        call="GET /v1/tournaments/{tournament}/crosstable",
        summary="Read who beat whom",
        description="Each two bots that met, over the blocks that both played.",
        parameters=("tournament",),
        answer=Crosstable,
        codes=TOURNAMENT,
    ),
    Operation(
        id="getNeighbours",
        call="GET /v1/tournaments/{tournament}/neighbours",
        summary="Read who profits from whom",
        description="How bots do beside each other, and whether one raises another beyond what it raises others: a flag"
        " for whoever has to judge collusion, with a known rate of false alarms.",
        parameters=("tournament",),
        answer=Neighbours,
        codes=TOURNAMENT,
    ),
    Operation(
        id="listBlocks",
        call="GET /v1/tournaments/{tournament}/blocks",
        summary="List the blocks",
        description="Those that are over, in the order of play, page by page. Of an experiment too, by its id.",
        parameters=("tournament", "after_block", "limit"),
        answer=BlockPage,
        codes=("bad-request", *TOURNAMENT),
        links=(
            Link("getBlock", _BLOCK),
            Link("listBlocks", {"tournament": "$request.path.tournament", "after_block": "$response.body#/next"}),
        ),
    ),
    Operation(
        id="getBlock",
        call="GET /v1/tournaments/{tournament}/blocks/{block}",
        summary="Read a block",
        description="All its games with their records. Nothing of it is shown before the last one is over.",
        parameters=("tournament", "block"),
        answer=Block,
        codes=(*TOURNAMENT, "unknown-block"),
    ),
    Operation(
        id="watchTournament",
        call="GET /v1/tournaments/{tournament}/events",
        summary="Watch a tournament",
        description="Server-sent events: `progress`, at once and then whenever there is some, at most once a second,"
        " and `over`, after which the stream ends. Each says how everything stands, so nothing is missed by who comes"
        " back with the last `id` in `Last-Event-ID`, as browsers do by themselves. A comment is sent every 15 seconds"
        " if nothing else is.",
        parameters=("tournament", "seconds", "Progress-Event-ID"),
        answer=TournamentProgress,
        media=EVENTS,
        events={"progress": TournamentProgress, "over": TournamentOver},
        also={204: "The client has seen the end. A browser does not come back then."},
        codes=("bad-request", *TOURNAMENT),
    ),
    Operation(
        id="getDump",
        call="GET /v1/tournaments/{tournament}/dump",
        summary="Take everything",
        description="All that is needed to recompute the table: a line about the tournament, and a line for each block"
        " that is over. When it is over, the first line has the secret from which all deals follow. Of an experiment"
        " too, by its id.",
        parameters=("tournament",),
        answer=Dump,
        media=NDJSON,
        codes=(*TOURNAMENT, *STREAM),
    ),
    Operation(
        id="getExport",
        call="GET /v1/tournaments/{tournament}/exports/{file}",
        summary="Take a table",
        description="Standings, crosstable, games or ratings, as JSON, CSV or Parquet: `standings.csv`.",
        parameters=("tournament", "file"),
        answer=Export,
        media=CSV,
        others={"application/json": rows_schema(), PARQUET: text_of(PARQUET)},
        codes=(*TOURNAMENT, "not-found"),
    ),
    Operation(
        id="getReport",
        call="GET /v1/tournaments/{tournament}/report",
        summary="Take the report",
        description="One page of HTML with all tables and interactive plots, which needs nothing from anywhere else.",
        parameters=("tournament",),
        answer=ReportPage,
        media=HTML,
        codes=TOURNAMENT,
    ),
)

OF_BOARDS = (
    Operation(
        id="get{Game}Leaderboard",
        call="GET /v1/{game}/leaderboard",
        summary="Read the leaderboard",
        description="The ratings of all versions of bots that have played ranked blocks, for each size of table, or for"
        " that of `players`.",
        parameters=("players",),
        answer=Leaderboard,
        codes=("bad-request",),
    ),
)
