"""Texts of Splito: the explanation of the points of each zone, the rulebook, and the texts of the cards."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from splito_engine.game import CardText, Explanation, Language, Reason, Seat, Section
from splito_engine.games.splito.deck import STANDARD, Deck, Objective, find_deck
from splito_engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need
from splito_engine.games.splito.rules import PLACES
from splito_engine.games.splito.scoring import Scored, score_zones
from splito_engine.games.splito.state import SplitoState
from splito_engine.games.splito.words import WORDS, Counted, Words
from splito_engine.texts import read_rules

VOWELS = "aeiouhéèêœ"
"""Letters before which French elides the article."""


class Table(msgspec.Struct, frozen=True):
    """A scored deal, and the words of the language in which it is explained."""

    words: Words
    language: Language
    deck: Deck
    deal: int
    """Number of the deal from 1, because it is shown as "deal 1 of 3"."""
    deals: int
    players: int
    commons: list[Objective]
    zones: list[Scored]


def explain(state: SplitoState, language: Language) -> Explanation:
    """Return one section per zone and deal, and one for the commons that no zone won."""
    tables = _tables(state, language)
    return Explanation(
        sections=tuple(section for table in tables for section in _sections(table)),
        totals=_totals(tables),
    )


def shared(state: SplitoState) -> dict[tuple[Seat, Seat], int]:
    """Return the points of the zone of each two neighbours, the left one first, over all deals."""
    tables, players = _tables(state, "en"), len(state.hands)
    if players == 2:
        return {}  # zones are private (S19)
    return {(seat, (seat + 1) % players): sum(table.zones[seat].points for table in tables) for seat in range(players)}


def rulebook(language: Language) -> str:
    """Return the rules, the rows of the table of Objectives at their end, and the note of the deck."""
    file = find_deck(STANDARD).file
    rows = "".join(_row(objective, language) for objective in file.objectives)
    return f"{read_rules('splito_engine.games.splito', language)}{rows}\n{file.note[language]}\n"


def cards(language: Language) -> tuple[CardText, ...]:
    """Return the Splito cards, then the Objectives in the order of the file with their diamonds as `points`."""
    deck = find_deck(STANDARD)
    colours = {colour.letter: colour for colour in deck.file.colours}
    faces = [
        CardText(card, deck.text(card, language), reconstructed=colours[card[0]].reconstructed)
        for card in deck.names[: len(deck.faces)]
    ]
    objectives = [CardText(o.id, o.text[language], o.points, o.reconstructed) for o in deck.file.objectives]
    return (*faces, *objectives)


def _row(objective: Objective, language: Language) -> str:
    """Return the row of an Objective; a dagger marks each reconstructed fact."""
    facts = {"count": f"`{objective.id}`", "need": objective.text[language], "points": f"{objective.points}"}
    cells = [f"{text} †" if fact in objective.reconstructed else text for fact, text in facts.items()]
    return f"| {' | '.join(cells)} |\n"


def _tables(state: SplitoState, language: Language) -> list[Table]:
    """Return the finished deals, and the current deal as if it ended now."""
    deck = find_deck(state.options.deck)

    def codes(cards: Iterable[str]) -> bytes:
        return bytes([deck.codes[card] for card in cards])

    deals = [(codes(deal.commons), tuple(map(codes, deal.zones))) for deal in state.finished]
    deals.append((bytes(state.commons), state.zones))
    return [
        Table(
            words=WORDS[language],
            language=language,
            deck=deck,
            deal=number,
            deals=state.options.deals,
            players=len(state.hands),
            commons=[deck.objectives[code] for code in commons],
            zones=score_zones(deck, commons, zones),
        )
        for number, (commons, zones) in enumerate(deals, start=1)
    ]


def _sections(table: Table) -> Iterator[Section]:
    for number, zone in enumerate(table.zones):
        reasons = tuple(_reason(table, objective, zone) for objective in zone.objectives)
        yield Section(_title(table, _zone_title(table, number)), zone.points, reasons)
    if unclaimed := tuple(_unclaimed(table)):
        yield Section(_title(table, table.words.unclaimed), 0, unclaimed)


def _reason(table: Table, objective: Objective, zone: Scored) -> Reason:
    met = objective.need.met(zone, table.zones)
    text = _text(table, objective, _why(table, objective.need, zone))
    return Reason(objective.id, met, objective.points if met else 0, text)


def _unclaimed(table: Table) -> Iterator[Reason]:
    won = [objective for zone in table.zones for objective in zone.objectives]
    for common in table.commons:
        if common not in won and isinstance(common.need, Most):
            yield Reason(common.id, met=False, points=0, text=_text(table, common, _why_nobody(table, common.need.of)))


def _text(table: Table, objective: Objective, why: str) -> str:
    card = objective.text[table.language]
    if objective in table.commons:
        card = table.words.common.format(card=card)
    return table.words.reason.format(card=card, why=why)


def _why(table: Table, need: Need, zone: Scored) -> str:
    match need:
        case Most(of=sign):
            return _why_most(table, sign, zone)
        case Exactly(count=count, of=sign):
            held = zone.signs.count(sign)
            asked = "" if count in (0, held) else _number(table, sign, count)
            return _why_count(table, _held(table, sign, held), asked)
        case Each(of=signs):
            return _why_each(table, [_name(table, sign) for sign in signs if sign not in zone.signs])
        case Different(count=count, of=what):
            held = need.held(zone)
            forms = table.words.colours if what == "colours" else table.words.values
            return _why_count(table, _counted(forms, held), "" if held == count else f"{count}")
        case Cards(at_least=least, at_most=most):
            return _why_cards(table, zone.cards, least, most)


def _why_most(table: Table, sign: str, zone: Scored) -> str:
    words, mine = table.words, zone.signs.count(sign)
    held = _held(table, sign, mine)
    best, leaders = _leaders(table, sign, but=zone)
    if mine > best > 0:
        return words.most_met.format(held=held, best=_number(table, sign, best))
    if mine > best:
        return words.most_alone.format(held=held, none=_held(table, sign, 0))
    if not best:
        return words.most_nowhere
    if mine == best:
        return words.most_tied.format(held=held, zones=_listed(leaders, words))
    return words.most_behind.format(held=held, leaders=_there(table, _number(table, sign, best), leaders))


def _why_nobody(table: Table, sign: str) -> str:
    best, leaders = _leaders(table, sign)
    if not best:
        return table.words.most_nowhere
    return table.words.common_tied.format(leaders=_there(table, _number(table, sign, best), leaders))


def _why_count(table: Table, held: str, asked: str) -> str:
    """Return the number held; the number asked too, unless it is empty."""
    return (table.words.needed if asked else table.words.here).format(held=held, count=asked)


def _why_each(table: Table, missing: Sequence[str]) -> str:
    if not missing:
        return table.words.each_met
    return table.words.each_missing[len(missing) > 1].format(_listed(missing, table.words))


def _why_cards(table: Table, cards: int, least: int, most: int) -> str:
    words, held = table.words, _counted(table.words.cards, cards)
    if cards < least:
        return words.cards_few.format(held=held, count=least)
    return (words.cards_many if cards > most else words.cards_met).format(held=held, count=most)


def _leaders(table: Table, sign: str, but: Scored | None = None) -> tuple[int, list[str]]:
    """Return the largest number of cards with the sign, and the zones that hold it; one zone may be left out."""
    counts = {number: zone.signs.count(sign) for number, zone in enumerate(table.zones) if zone is not but}
    best = max(counts.values())
    return best, [_the_zone(table, number) for number, count in counts.items() if count == best]


def _there(table: Table, count: str, zones: Iterable[str]) -> str:
    return _listed([table.words.most_there.format(best=count, zone=zone) for zone in zones], table.words)


def _held(table: Table, sign: str, count: int) -> str:
    forms = table.words.of_value if sign.isdigit() else table.words.of_colour
    number = _number(table, sign, count)
    return _counted(forms, count, number).format(value=sign, colour=_colour(table, sign))


def _number(table: Table, sign: str, count: int) -> str:
    """Return a number in words beside a value, in digits beside a colour."""
    words = table.words.numbers
    return words[count - 1] if sign.isdigit() and 0 < count <= len(words) else f"{count}"


def _name(table: Table, sign: str) -> str:
    """Return a colour or a value that is missing."""
    if sign.isdigit():
        return table.words.missing_value.format(value=sign)
    colour = _colour(table, sign)
    form = table.words.missing_colour[colour[0] in VOWELS]
    return form.format(colour=colour, Colour=colour.capitalize())


def _colour(table: Table, sign: str) -> str:
    return "".join(colour.text[table.language] for colour in table.deck.file.colours if colour.letter == sign)


def _counted(forms: Counted, count: int, number: str = "") -> str:
    return forms[min(count, 2)].replace("{count}", number or f"{count}")


def _listed(items: Sequence[str], words: Words) -> str:
    *first, last = items
    return words.both.format(", ".join(first), last) if first else last


def _title(table: Table, title: str) -> str:
    return table.words.deal.format(deal=table.deal, deals=table.deals, title=title) if table.deals > 1 else title


def _zone_title(table: Table, zone: int) -> str:
    if table.players == 2:
        return table.words.private[zone % 2].format(seat=zone // 2)
    return table.words.zone.format(zone=zone, left=zone, right=(zone + 1) % table.players)


def _the_zone(table: Table, zone: int) -> str:
    if table.players == 2:
        return table.words.the_private[zone % 2].format(seat=zone // 2)
    return table.words.the_zone.format(zone=zone)


def _totals(tables: Sequence[Table]) -> tuple[str, ...]:
    """Return one line per seat: its products, points and cards, and how a tie on points was broken (S15, S16, S18)."""
    words, places = tables[0].words, PLACES[tables[0].players]
    sides = [[(table.zones[left], table.zones[right]) for table in tables] for left, right in places]
    points = [sum(left.points * right.points for left, right in deals) for deals in sides]
    cards = [sum(left.cards + right.cards for left, right in deals) for deals in sides]
    return tuple(
        words.total.format(
            seat=seat,
            products=" + ".join(words.product.format(left=left.points, right=right.points) for left, right in deals),
            points=points[seat],
            cards=_counted(words.cards, cards[seat]),
        )
        + _tie_break(
            words, [held for scored, held in zip(points, cards, strict=True) if scored == points[seat]], cards[seat]
        )
        for seat, deals in enumerate(sides)
    )


def _tie_break(words: Words, tied: Sequence[int], cards: int) -> str:
    """Return the note on the tie-break of a seat with so many cards; empty if the fewest cards decide nothing.

    `tied` holds the cards of all seats with the same points, this seat included.
    """
    if min(tied) == max(tied):
        return ""
    return words.fewest if cards == min(tied) else words.not_fewest
