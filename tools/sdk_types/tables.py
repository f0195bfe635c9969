"""Decisions that the OpenAPI documents do not hold: which types the SDK has, in which modules, under which names."""

from collections.abc import Mapping
from typing import NamedTuple


class Module(NamedTuple):
    """A module of message types."""

    about: str
    """The first sentence of its docstring."""
    types: str
    """Names of its types, without the name of a game: `Match` stands for `SplitoMatch`, `SplititMatch`, ..."""
    aliases: Mapping[str, str]
    """Names for enumerations and unions, and a field of each in the document: `Match.status`, `NewMatch.seats[]`."""


MODULES = {
    "catalogue": Module(
        "Games, cards, rules, explanations and problems.",
        "Problem ProblemKind Problems Titles GameSummary Games House CardText Cards RulesText Reason Section "
        "Explanation",
        {"Language": "RulesText.language"},
    ),
    "matches": Module(
        "Matches with people: requests, answers and events.",
        "NoClock TurnClock BankClock NewPerson NewBot NewOpen NewMatch Joining BotJoining BotSeated Decision SeatInfo "
        "Match MatchSummary MatchPage MatchCreated Joined Sealed Revealed Turn Turns Seats Over MoveProblem",
        {"Status": "Match.status", "Kind": "SeatInfo.kind", "Clock": "Match.clock", "NewSeat": "NewMatch.seats[]"},
    ),
    "asks": Module(
        "Messages between the arena and a bot.",
        "BotInfo Time Cost Rejection Ask Answer Asks Answers Started FaultNote Ended Noted Challenge ChallengeMet "
        "AnswerProblem",
        {},
    ),
    "bots": Module(
        "Owners, registered bots and their checks.",
        "NewOwner OwnerCreated OwnerInfo OwnAccount BotRegistration BotChange OwnBot BotSummary BotPage Bot "
        "BotRegistered NewCheck Clock Latency Finding Row Report Check",
        {"OpenTo": "Bot.open_to"},
    ),
    "logs": Module("The log of the asks of a bot.", "FaultInfo AskSummary AskPage", {}),
    "leaderboards": Module("Ratings of all bots that have played ranked blocks.", "BoardLine Board Leaderboard", {}),
    "formats": Module(
        "Formats of tournaments.",
        "RoundRobin Swiss Elimination Gauntlet Ladder",
        {"Format": "NewTournament.format"},
    ),
    "tournaments": Module(
        "Tournaments: requests, progress and standings.",
        "BotClock NewTournament EntrantInfo Progress Tournament Interval "
        "RatingInterval Share StandingLine PlacingLine Placing Standings TournamentProgress",
        {"State": "Progress.state"},
    ),
    "changes": Module("Changes and estimates of a tournament.", "StateChange TimesChange BlocksChange Estimate", {}),
    "experiments": Module(
        "Experiments: is a new version of a bot better than the old one?",
        "Question NewExperiment MeanInterval Reading Experiment ExperimentProgress",
        {"Verdict": "Reading.verdict", "Measure": "Question.measure"},
    ),
}

GAME_ALIASES = {
    "splito": {"Side": "SplitoMove.side"},
    "splitit": {"Card": "SplititView.row[]", "Zone": "SplititBet.zone", "Phase": "SplititView.phase"},
}
"""Names for enumerations in the module of a game. The other types of a game are found from its asks and requests."""

PARAMETERS = {
    "OptionsT": "NewMatch.options",
    "SettledT": "Started.options",
    "ViewT": "Ask.view",
    "MoveT": "Ask.moves[]",
}
"""Type parameters for the parts in which the messages of the games differ, and a field that has each."""

UNTYPED = frozenset({"NewTournament", "Tournament", "NewExperiment", "Experiment"})
"""Types without parameters: the options are a dictionary, because an organiser reads them from a file for any game."""

CHECKED = frozenset({"BotInfo"})
"""Types whose limits the SDK checks, because the author of a bot writes them. The service checks all other limits."""

RENAMED = {
    "Report": "CheckReport",
    "Row": "CheckRow",
    "Finding": "CheckFinding",
    "Latency": "CheckLatency",
    "Clock": "CheckClock",
}
"""Names of the SDK for types whose names in the document are too general to import."""

POSITIONAL = 4
"""Largest number of fields of a type that can be made without naming the fields."""
