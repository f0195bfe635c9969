"""The sentences of `explanation.py` in three languages.

Names of colours and texts of cards are in the deck file, so that other decks are explained as well.
"""

from typing import TypeAlias

import msgspec

from splito_engine.game import Language

Counted: TypeAlias = tuple[str, str, str]
"""Forms for none, for one and for more."""


class Words(msgspec.Struct, frozen=True):
    """The sentences of one language."""

    deal: str
    zone: str
    private: tuple[str, str]
    """The left and the right zone of one of two players, who share none (S19)."""
    the_zone: str
    """A zone inside a sentence, as `the_private` for two players."""
    the_private: tuple[str, str]
    unclaimed: str
    reason: str
    common: str
    both: str
    """The last two of a list."""
    numbers: tuple[str, ...]
    """Numbers from one on. Cards of a value are counted in words, because a digit could be mistaken for a value."""
    of_value: Counted
    of_colour: Counted
    colours: Counted
    values: Counted
    cards: Counted
    here: str
    needed: str
    most_met: str
    most_alone: str
    most_tied: str
    most_behind: str
    most_there: str
    most_nowhere: str
    common_tied: str
    each_met: str
    each_missing: tuple[str, str]
    """One missing sign, and several."""
    missing_colour: tuple[str, str]
    """A colour, and one that begins with a vowel. `{Colour}` is capitalised."""
    missing_value: str
    cards_met: str
    cards_few: str
    cards_many: str
    product: str
    total: str
    fewest: str
    """Added to `total` of a seat that is tied on points and has the fewest cards of the tied seats (S16)."""
    not_fewest: str
    """Added to `total` of a seat that is tied on points with a seat of fewer cards."""


WORDS: dict[Language, Words] = {
    "en": Words(
        deal="Deal {deal} of {deals}: {title}",
        zone="Zone {zone}, seats {left} and {right}",
        private=("Seat {seat}, left", "Seat {seat}, right"),
        the_zone="zone {zone}",
        the_private=("seat {seat}’s left zone", "seat {seat}’s right zone"),
        unclaimed="Common Objectives that nobody won",
        reason="{card}: {why}",
        common="{card} (common)",
        both="{} and {}",
        numbers=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        of_value=("no {value}", "one {value}", "{count} {value}s"),
        of_colour=("no {colour}", "1 {colour}", "{count} {colour}"),
        colours=("no colours", "1 colour", "{count} colours"),
        values=("no values", "1 value", "{count} values"),
        cards=("no cards", "1 card", "{count} cards"),
        here="{held} here",
        needed="{held} here, {count} needed",
        most_met="{held} here, at most {best} elsewhere",
        most_alone="{held} here, {none} elsewhere",
        most_tied="{held} here, tied with {zones}",
        most_behind="{held} here, {leaders}",
        most_there="{best} in {zone}",
        most_nowhere="none in any zone",
        common_tied="a tie, {leaders}",
        each_met="all here",
        each_missing=("{} is missing", "{} are missing"),
        missing_colour=("{colour}", "{colour}"),
        missing_value="the {value}",
        cards_met="{held}, Objectives included",
        cards_few="{held}, Objectives included; at least {count} needed",
        cards_many="{held}, Objectives included; at most {count} allowed",
        product="left {left} × right {right}",
        total="Seat {seat}: {products} = {points}, {cards}",
        fewest="; tied on points, ahead with the fewest cards",
        not_fewest="; tied on points, behind with more cards",
    ),
    "fr": Words(
        deal="Manche {deal} sur {deals}\u00a0: {title}",
        zone="Zone {zone}, places {left} et {right}",
        private=("Place {seat}, gauche", "Place {seat}, droite"),
        the_zone="la zone {zone}",
        the_private=("la zone gauche de la place {seat}", "la zone droite de la place {seat}"),
        unclaimed="Objectifs communs que personne n’a gagnés",
        reason="{card}\u00a0: {why}",
        common="{card} (commun)",
        both="{} et {}",
        numbers=("un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
        of_value=("aucun {value}", "un {value}", "{count} {value}"),
        of_colour=("aucune", "1", "{count}"),
        colours=("aucune couleur", "1 couleur", "{count} couleurs"),
        values=("aucune valeur", "1 valeur", "{count} valeurs"),
        cards=("aucune carte", "1 carte", "{count} cartes"),
        here="{held} ici",
        needed="{held} ici, il en faut {count}",
        most_met="{held} ici, {best} au plus ailleurs",
        most_alone="{held} ici, {none} ailleurs",
        most_tied="{held} ici, à égalité avec {zones}",
        most_behind="{held} ici, {leaders}",
        most_there="{best} dans {zone}",
        most_nowhere="il n’y en a nulle part",
        common_tied="égalité, {leaders}",
        each_met="tout y est",
        each_missing=("il manque {}", "il manque {}"),
        missing_colour=("le {colour}", "l’{colour}"),
        missing_value="le {value}",
        cards_met="{held}, Objectifs compris",
        cards_few="{held}, Objectifs compris\u00a0; il en faut au moins {count}",
        cards_many="{held}, Objectifs compris\u00a0; il en faut au plus {count}",
        product="gauche {left} × droite {right}",
        total="Place {seat}\u00a0: {products} = {points}, {cards}",
        fewest="\u00a0; à égalité de points, devant avec le moins de cartes",
        not_fewest="\u00a0; à égalité de points, derrière avec plus de cartes",
    ),
    "de": Words(
        deal="Durchgang {deal} von {deals}: {title}",
        zone="Zone {zone}, Plätze {left} und {right}",
        private=("Platz {seat}, links", "Platz {seat}, rechts"),
        the_zone="Zone {zone}",
        the_private=("der linken Zone von Platz {seat}", "der rechten Zone von Platz {seat}"),
        unclaimed="Öffentliche Wertungskarten, die niemand gewonnen hat",
        reason="{card}: {why}",
        common="{card} (öffentlich)",
        both="{} und {}",
        numbers=("eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
        of_value=("keine {value}", "eine {value}", "{count} {value}er"),
        of_colour=("keine", "1", "{count}"),
        colours=("keine Farbe", "1 Farbe", "{count} Farben"),
        values=("kein Wert", "1 Wert", "{count} Werte"),
        cards=("keine Karte", "1 Karte", "{count} Karten"),
        here="{held} hier",
        needed="{held} hier, {count} nötig",
        most_met="{held} hier, anderswo höchstens {best}",
        most_alone="{held} hier, anderswo {none}",
        most_tied="{held} hier, Gleichstand mit {zones}",
        most_behind="{held} hier, {leaders}",
        most_there="{best} in {zone}",
        most_nowhere="in keiner Zone vorhanden",
        common_tied="Gleichstand, {leaders}",
        each_met="alles da",
        each_missing=("{} fehlt", "{} fehlen"),
        missing_colour=("{Colour}", "{Colour}"),
        missing_value="die {value}",
        cards_met="{held}, Wertungskarten eingeschlossen",
        cards_few="{held}, Wertungskarten eingeschlossen; mindestens {count} nötig",
        cards_many="{held}, Wertungskarten eingeschlossen; höchstens {count} erlaubt",
        product="links {left} × rechts {right}",
        total="Platz {seat}: {products} = {points}, {cards}",
        fewest="; punktgleich, mit den wenigsten Karten vorn",
        not_fewest="; punktgleich, mit mehr Karten dahinter",
    ),
}
