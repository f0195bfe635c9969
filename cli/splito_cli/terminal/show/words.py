"""The words on the screens of the three games, in three languages. The printed rulebooks' terms are used."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from splito_engine.game import Language
from splito_engine.games.splitit import Zone
from splito_engine.games.splitit.state import Phase

Sides: TypeAlias = tuple[str, str]
"""The same words for the left and for the right side."""


class SplitoWords(msgspec.Struct, frozen=True):
    """The words of Splito in one language."""

    round: str
    deal: str
    earlier_deal: str
    commons: str
    hand: str
    twice: str
    sides: Sides
    unseen: str
    hands_note: str
    zone: tuple[str, str, str]
    """The number of a zone and of its cards: no card, one card, several cards."""
    own_zone: Sides
    shared_zone: Sides
    private_zone: Sides
    between: str
    no_card: str
    not_held: str
    come: str
    unmet: str


class SplitterWords(msgspec.Struct, frozen=True):
    """The words of Splitter in one language."""

    round: str
    sheet: str
    dice: str
    roll: str
    title: str
    no_cell: str
    written: str
    not_rolled: str


class SplititWords(msgspec.Struct, frozen=True):
    """The words of Split it! in one language."""

    round: str
    you_split: str
    splits: str
    pile: str
    row: str
    zones: Mapping[Zone, str]
    bet: str
    remove: str
    removed: str
    joker: str
    columns: str
    out: str
    legend: str
    waiting: str
    now: Mapping[Phase, str]
    """Said after a move of another phase."""


SPLITO: dict[Language, SplitoWords] = {
    "en": SplitoWords(
        round="round {number} of {last}",
        deal="deal {number} of {last}",
        earlier_deal="Deal {number}  ",
        commons="Commons",
        hand="Your hand",
        twice="Twice in your hand: {cards}",
        sides=("left", "right"),
        unseen="{count} cards you have not seen",
        hands_note="You know a hand once it has passed through yours.",
        zone=("zone {zone}, no cards", "zone {zone}, {count} card", "zone {zone}, {count} cards"),
        own_zone=("Your left zone", "Your right zone"),
        shared_zone=("Your left zone, shared with {name}", "Your right zone, shared with {name}"),
        private_zone=("{name}, left zone", "{name}, right zone"),
        between="Between {first} and {last}",
        no_card="there is no card {card}",
        not_held="you do not hold {card}",
        come="come and play with me, {name}",
        unmet="{card} in zone {zone} is not met yet",
    ),
    "fr": SplitoWords(
        round="tour {number} sur {last}",
        deal="manche {number} sur {last}",
        earlier_deal="Manche {number}  ",
        commons="Objectifs communs",
        hand="Votre main",
        twice="Deux fois en main\u00a0: {cards}",
        sides=("à gauche", "à droite"),
        unseen="{count} cartes que vous n’avez pas vues",
        hands_note="Vous connaissez une main une fois qu’elle est passée par la vôtre.",
        zone=("zone {zone}, aucune carte", "zone {zone}, {count} carte", "zone {zone}, {count} cartes"),
        own_zone=("Votre zone gauche", "Votre zone droite"),
        shared_zone=("Votre zone gauche, partagée avec {name}", "Votre zone droite, partagée avec {name}"),
        private_zone=("{name}, zone gauche", "{name}, zone droite"),
        between="Entre {first} et {last}",
        no_card="il n’y a pas de carte {card}",
        not_held="vous n’avez pas {card} en main",
        come="viens jouer avec moi, {name}",
        unmet="{card} dans la zone {zone} n’est pas encore rempli",
    ),
    "de": SplitoWords(
        round="Runde {number} von {last}",
        deal="Durchgang {number} von {last}",
        earlier_deal="Durchgang {number}  ",
        commons="Öffentliche Wertungskarten",
        hand="Deine Hand",
        twice="Doppelt auf der Hand: {cards}",
        sides=("nach links", "nach rechts"),
        unseen="{count} Karten, die du nicht gesehen hast",
        hands_note="Du kennst eine Hand, sobald sie bei dir war.",
        zone=("Zone {zone}, keine Karte", "Zone {zone}, {count} Karte", "Zone {zone}, {count} Karten"),
        own_zone=("Deine linke Zone", "Deine rechte Zone"),
        shared_zone=("Deine linke Zone, gemeinsam mit {name}", "Deine rechte Zone, gemeinsam mit {name}"),
        private_zone=("{name}, linke Zone", "{name}, rechte Zone"),
        between="Zwischen {first} und {last}",
        no_card="es gibt keine Karte {card}",
        not_held="du hast {card} nicht auf der Hand",
        come="spiel mit mir, {name}",
        unmet="{card} in Zone {zone} ist noch nicht erfüllt",
    ),
}

SPLITTER: dict[Language, SplitterWords] = {
    "en": SplitterWords(
        round="round {number} of {last}",
        sheet="sheet {sheet}",
        dice="The dice  ",
        roll="{first} and {second}",
        title="Your title: {title}",
        no_cell="{text}: sheet {sheet} has no such cell",
        written="{text}: the cell is already written",
        not_rolled="{text}: the dice show {first} and {second}",
    ),
    "fr": SplitterWords(
        round="manche {number} sur {last}",
        sheet="fiche {sheet}",
        dice="Les dés  ",
        roll="{first} et {second}",
        title="Votre titre\u00a0: {title}",
        no_cell="{text}\u00a0: la fiche {sheet} n’a pas cette case",
        written="{text}\u00a0: la case est déjà remplie",
        not_rolled="{text}\u00a0: les dés montrent {first} et {second}",
    ),
    "de": SplitterWords(
        round="Runde {number} von {last}",
        sheet="Blatt {sheet}",
        dice="Die Würfel  ",
        roll="{first} und {second}",
        title="Dein Titel: {title}",
        no_cell="{text}: Blatt {sheet} hat kein solches Feld",
        written="{text}: Das Feld ist schon beschrieben",
        not_rolled="{text}: Die Würfel zeigen {first} und {second}",
    ),
}

SPLITIT: dict[Language, SplititWords] = {
    "en": SplititWords(
        round="round {number} of {last}",
        you_split="you split",
        splits="{name} splits",
        pile="{count} in the pile",
        row="The row  ",
        zones={"white": "white", "pink": "pink", "black": "black"},
        bet="bet on {zone}: {cards}",
        remove="remove {zone}: {cards}",
        removed="removes {zone}",
        joker="a joker on column {number}",
        columns="columns",
        out="{name} (out)",
        legend="J joker in the column, * most cards: scores the number",
        waiting="Jokers without a column yet: {players}",
        now={
            "split": "{text} is not legal now: you split the row",
            "remove": "{text} is not legal now: you remove a zone",
            "bet": "{text} is not legal now: you bet on a zone that holds cards",
            "place": "{text} is not legal now: you put a joker on one of your columns",
        },
    ),
    "fr": SplititWords(
        round="tour {number} sur {last}",
        you_split="vous coupez",
        splits="{name} coupe",
        pile="{count} dans la pioche",
        row="La rangée  ",
        zones={"white": "blanche", "pink": "rose", "black": "noire"},
        bet="parier sur la zone {zone}\u00a0: {cards}",
        remove="retirer la zone {zone}\u00a0: {cards}",
        removed="retire la zone {zone}",
        joker="un joker sur la colonne {number}",
        columns="colonnes",
        out="{name} (sorti)",
        legend="J joker dans la colonne, * le plus de cartes\u00a0: rapporte le numéro",
        waiting="Jokers encore sans colonne\u00a0: {players}",
        now={
            "split": "{text} n’est pas permis maintenant\u00a0: vous coupez la rangée",
            "remove": "{text} n’est pas permis maintenant\u00a0: vous retirez une zone",
            "bet": "{text} n’est pas permis maintenant\u00a0: vous pariez sur une zone qui contient des cartes",
            "place": "{text} n’est pas permis maintenant\u00a0: vous posez un joker sur une de vos colonnes",
        },
    ),
    "de": SplititWords(
        round="Runde {number} von {last}",
        you_split="du teilst",
        splits="{name} teilt",
        pile="{count} im Stapel",
        row="Die Reihe  ",
        zones={"white": "Weiß", "pink": "Rosa", "black": "Schwarz"},
        bet="auf {zone} setzen: {cards}",
        remove="{zone} entfernen: {cards}",
        removed="entfernt {zone}",
        joker="ein Joker auf Spalte {number}",
        columns="Spalten",
        out="{name} (raus)",
        legend="J Joker in der Spalte, * die meisten Karten: bringt die Zahl",
        waiting="Joker noch ohne Spalte: {players}",
        now={
            "split": "{text} ist jetzt nicht erlaubt: Du teilst die Reihe",
            "remove": "{text} ist jetzt nicht erlaubt: Du entfernst eine Zone",
            "bet": "{text} ist jetzt nicht erlaubt: Du setzt auf eine Zone mit Karten",
            "place": "{text} ist jetzt nicht erlaubt: Du legst einen Joker auf eine deiner Spalten",
        },
    ),
}
