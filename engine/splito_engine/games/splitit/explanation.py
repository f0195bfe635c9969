"""Texts of *Split it!* in three languages: the explanation of the points (I10, I11), the rulebook and the cards."""

from typing import TypeAlias

import msgspec

from splito_engine.game import CardText, Explanation, Language, Reason, Seat, Section
from splito_engine.games.splitit.columns import SplititPlayer, length, open_columns, scores_of, winners
from splito_engine.games.splitit.deck import JOKER, KINDS, NUMBERS
from splito_engine.games.splitit.state import SplititState
from splito_engine.texts import read_rules

Counted: TypeAlias = tuple[str, str, str]
"""Forms for none, for one and for more."""


class Texts(msgspec.Struct, frozen=True):
    """The sentences of one language."""

    card: str
    joker: str
    title: str
    nobody: str
    has: str
    cards: Counted
    jokers: Counted
    points: Counted
    most: str
    tied: str
    fewer: str
    columns: Counted
    waiting: Counted
    total: str
    most_columns: str
    """Added to `total` of a seat that is tied on points and has the most columns of the tied seats (I11)."""
    fewer_columns: str
    """Added to `total` of a seat that is tied on points with a seat of more columns."""


TEXTS: dict[Language, Texts] = {
    "en": Texts(
        card="number {number}",
        joker="joker",
        title="Number {number}",
        nobody="Nobody has a card of this number: nobody scores it.",
        has="Seat {seat} has {cards}{jokers}: {verdict}.",
        cards=("no cards", "{count} card", "{count} cards"),
        jokers=("", ", one of them a joker", ", {count} of them jokers"),
        points=("no points", "{count} point", "{count} points"),
        most="the most, so it scores {points}",
        tied="tied for the most, and all who are tied score {points}",
        fewer="fewer than the most ({most}), so it scores no points",
        columns=("no columns", "{count} column", "{count} columns"),
        waiting=(
            "",
            " ({count} joker without a column counts for nothing)",
            " ({count} jokers without a column count for nothing)",
        ),
        total="Seat {seat}: {sum}, {columns}{waiting}",
        most_columns="; tied on points, ahead with the most columns",
        fewer_columns="; tied on points, behind with fewer columns",
    ),
    "fr": Texts(
        card="numéro {number}",
        joker="joker",
        title="Numéro {number}",
        nobody="Personne n'a de carte de ce numéro : il ne rapporte rien.",
        has="La place {seat} a {cards}{jokers} : {verdict}.",
        cards=("aucune carte", "{count} carte", "{count} cartes"),
        jokers=("", ", dont un joker", ", dont {count} jokers"),
        points=("aucun point", "{count} point", "{count} points"),
        most="c'est le maximum, elle marque {points}",
        tied="c'est le maximum à égalité, et chaque ex æquo marque {points}",
        fewer="moins que le maximum ({most}), elle ne marque rien",
        columns=("aucune colonne", "{count} colonne", "{count} colonnes"),
        waiting=("", " ({count} joker sans colonne ne compte pas)", " ({count} jokers sans colonne ne comptent pas)"),
        total="Place {seat}\u00a0: {sum}, {columns}{waiting}",
        most_columns="\u00a0; à égalité de points, devant avec le plus de colonnes",
        fewer_columns="\u00a0; à égalité de points, derrière avec moins de colonnes",
    ),
    "de": Texts(
        card="Zahl {number}",
        joker="Joker",
        title="Zahl {number}",
        nobody="Niemand hat eine Karte mit dieser Zahl: Niemand punktet.",
        has="Platz {seat} hat {cards}{jokers}; {verdict}.",
        cards=("keine Karten", "{count} Karte", "{count} Karten"),
        jokers=("", ", davon ein Joker", ", davon {count} Joker"),
        points=("keine Punkte", "{count} Punkt", "{count} Punkte"),
        most="das sind die meisten: {points}",
        tied="Gleichstand an der Spitze: {points} für alle Beteiligten",
        fewer="die Höchstzahl ist {most}: keine Punkte",
        columns=("keine Spalten", "{count} Spalte", "{count} Spalten"),
        waiting=("", " ({count} Joker ohne Spalte zählt nicht)", " ({count} Joker ohne Spalte zählen nicht)"),
        total="Platz {seat}: {sum}, {columns}{waiting}",
        most_columns="; punktgleich, mit den meisten Spalten vorn",
        fewer_columns="; punktgleich, mit weniger Spalten dahinter",
    ),
}


def explain(state: SplititState, language: Language) -> Explanation:
    """Return one section per number; its points are the sum over all seats that score it."""
    texts = TEXTS[language]
    return Explanation(
        sections=tuple(_section(state.table, number, texts) for number in NUMBERS),
        totals=tuple(_total(state.table, seat, texts) for seat in range(state.players)),
    )


def rulebook(language: Language) -> str:
    return read_rules("splito_engine.games.splitit", language)


def cards(language: Language) -> tuple[CardText, ...]:
    """Return the cards of the pile. Bet cards are not among them, because a bet names its zone."""
    texts = TEXTS[language]
    return tuple(CardText(kind, texts.joker if kind == JOKER else texts.card.format(number=kind)) for kind in KINDS)


def _section(table: tuple[SplititPlayer, ...], number: int, texts: Texts) -> Section:
    holders = [seat for seat, player in enumerate(table) if length(player, number)]
    reasons = tuple(_reason(table, number, seat, texts) for seat in holders)
    return Section(
        title=texts.title.format(number=number),
        points=sum(reason.points for reason in reasons),
        reasons=reasons or (Reason(about=str(number), met=False, points=0, text=texts.nobody),),
    )


def _reason(table: tuple[SplititPlayer, ...], number: int, seat: Seat, texts: Texts) -> Reason:
    best = winners(table, number)
    scores = seat in best
    verdict = texts.fewer if not scores else texts.most if len(best) == 1 else texts.tied
    text = texts.has.format(
        seat=seat,
        cards=_counted(texts.cards, length(table[seat], number)),
        jokers=_counted(texts.jokers, table[seat].jokers[number - 1]),
        verdict=verdict.format(points=_counted(texts.points, number), most=length(table[best[0]], number)),
    )
    return Reason(about=f"seat {seat}", met=scores, points=number if scores else 0, text=text)


def _total(table: tuple[SplititPlayer, ...], seat: Seat, texts: Texts) -> str:
    """Return the line of a seat, for example `Seat 0: 8 + 5 + 2 = 15, 4 columns`."""
    scored = [number for number in reversed(NUMBERS) if seat in winners(table, number)]
    terms = " + ".join(map(str, scored))
    line = texts.total.format(
        seat=seat,
        sum=f"{terms} = {sum(scored)}" if len(scored) > 1 else terms or "0",
        columns=_counted(texts.columns, len(open_columns(table[seat]))),
        waiting=_counted(texts.waiting, table[seat].waiting),
    )
    return line + _tie_break(table, seat, texts)


def _tie_break(table: tuple[SplititPlayer, ...], seat: Seat, texts: Texts) -> str:
    """Return the note on the tie-break of a seat; empty if the number of columns decides nothing (I11)."""
    scores = scores_of(table)
    points, columns = scores[seat]
    tied = [held for scored, held in scores if scored == points]
    if min(tied) == max(tied):
        return ""
    return texts.most_columns if columns == max(tied) else texts.fewer_columns


def _counted(forms: Counted, count: int) -> str:
    return forms[min(count, 2)].format(count=count)
