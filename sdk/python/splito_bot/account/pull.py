"""Pull bots: `splito-bot connect` finds or registers its bot and tells the arena what the bot plays."""

import shlex

from splito_bot.account.profiles import SavedBot
from splito_bot.account.session import Session, path_of
from splito_bot.account.trouble import RefusedByService, Trouble
from splito_bot.contract import BotInfo
from splito_bot.running.console import say
from splito_bot.schemas.bots import Bot, BotRegistered, BotRegistration, BotSummary


def ready_pull_bot(session: Session, info: BotInfo, word: str | None) -> Bot:
    """Return the pull bot with this id or name, by default that of its info, registered and described.

    Raise `Trouble` if it is a push bot, or banned.
    """
    bot = _found(session, word or info.name) or _registered(session, info.name if word is None else word)
    if bot.kind == "push":
        raise Trouble(
            "wrong-kind",
            f"{bot.name} ({bot.id}) is a push bot, which the arena calls",
            f"serve it: `splito-bot serve my_bot:choose --bot {shlex.quote(bot.name)}`; or connect under another name,"
            " with --bot",
        )
    if bot.own is not None and bot.own.banned is not None:
        raise Trouble("banned", f"{bot.name} is banned: {bot.own.banned}", "ask the organisers of the arena about it")
    return describe(session, bot, info)


def describe(session: Session, bot: Bot, info: BotInfo) -> Bot:
    """Tell the arena the info of the bot if it has another one, and return the bot.

    A key without the scope `bots` cannot; then the bot plays on as the arena knows it.
    """
    if bot.info == info and bot.state == "ready":
        return bot
    try:
        told = session.send("PUT", path_of("bots", bot.id, "info"), Bot, info)
    except RefusedByService as error:
        if error.refusal != "wrong-scope" or bot.info is None:
            raise
        say(f"the arena goes on with version {bot.version} of {bot.name}, because this key has no scope `bots`")
        return bot
    before = "" if bot.version in (None, told.version) else f" (before: {bot.version}); its ratings begin anew"
    say(f"the arena knows {told.name} as version {told.version}{before}")
    return told


def _found(session: Session, word: str) -> Bot | None:
    """Return the bot with this id or name: the one that the profile remembers, or one of the owner's."""
    if session.profile is not None:
        for saved in session.profiles.bots(session.profile):
            if saved.kind == "pull" and word in (saved.id, saved.name) and (bot := _existing(session, saved.id)):
                return bot
    return _existing(session, word) or _by_name(session, word)


def _existing(session: Session, bot_id: str) -> Bot | None:
    try:
        return session.bot(bot_id)
    except RefusedByService as error:
        if error.refusal != "unknown-bot":
            raise
    return None


def _by_name(session: Session, name: str) -> Bot | None:
    """Return the owner's bot with this name: the pull bot, if a push bot has the name too."""
    named = sorted((bot for bot in session.bots() if bot.name == name), key=_pull_first)
    return session.bot(named[0].id) if named else None


def _pull_first(bot: BotSummary) -> bool:
    return bot.kind != "pull"


def _registered(session: Session, name: str) -> Bot:
    made = session.send("POST", path_of("bots"), BotRegistered, BotRegistration(name, "pull"))
    where = ""
    if session.profile is not None:
        file = session.profiles.put_bot(session.profile, SavedBot(made.bot.id, made.bot.name, "pull"))
        where = f"; its id is kept in {file}"
    say(f"registered {made.bot.name} as a pull bot{where}")
    return made.bot
