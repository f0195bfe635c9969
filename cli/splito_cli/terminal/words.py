"""The words of `splito play` in three languages: greetings, questions, refusals, help and results.

The words about one game are in `splito_cli.terminal.show.words`, the texts of cards and explanations in the engine.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from splito_engine.game import Language

CommandName: TypeAlias = Literal["hint", "why", "table", "moves", "talk", "rules", "help", "quit"]


class CommandWords(msgspec.Struct, frozen=True):
    """The word that a person types for a command, and its line in the help."""

    typed: str
    about: str


class ResultWords(msgspec.Struct, frozen=True):
    """The words of the final table. `{names}` is a list of players, `{first}` and `{last}` are its two halves."""

    player: str
    place: str
    points: str
    alone: str
    winner: str
    winners: str
    both: str


class Words(msgspec.Struct, frozen=True):
    """The words of one language."""

    you: str
    in_seat: str
    in_seat_alone: str
    other: str
    reconstructed: str
    """Said where the rules for this number of players are reconstructed."""
    fixed: str
    was_fixed: str
    proof: str
    left_match: str
    recorded: str
    your_move: str
    for_help: str
    type_for_help: str
    no_number: str
    no_move: str
    not_legal: str
    no_talk: str
    no_nudge: str
    says: str
    would_play: str
    to_type: str
    end: str
    points_now: str
    points_at_end: str
    short_form: str
    by_number: str
    with_nudge: str
    commands: Mapping[CommandName, CommandWords]
    result: ResultWords


WORDS: dict[Language, Words] = {
    "en": Words(
        you="you",
        in_seat="You are in seat {seat}; also at the table: {others}.",
        in_seat_alone="You are in seat {seat}, alone.",
        other="{name} (seat {seat})",
        reconstructed="The rules for {players} players are reconstructed; the printed game may differ.",
        fixed="The deal is fixed; this is the commitment to it:",
        was_fixed="The deal was fixed before the first turn: the commitment",
        proof="is sha256 of {text}",
        left_match="You left the match; nothing was recorded.",
        recorded="The record is in {path}. Check it: splito verify {path}",
        your_move="Your move",
        for_help="(? for help)",
        type_for_help="Type ? for help.",
        no_number="there is no move {number}: the list goes from 1 to {last}",
        no_move="'{text}' is not a move: write it as in the list, for example {example}",
        not_legal="{text} is not legal now",
        no_talk="there is no table talk in this match",
        no_nudge="you cannot say '{text}' now: type talk for the list",
        says="says: {nudge}",
        would_play="{bot} would play ",
        to_type="  (type {text})",
        end="The end",
        points_now="If it ended now  ",
        points_at_end="Points  ",
        short_form="a move, in its short form",
        by_number="a move, by its number in the list",
        with_nudge="a move, and a nudge that everybody sees with it",
        commands={
            "hint": CommandWords("hint", "what the best house bot would play"),
            "why": CommandWords("why", "where the points come from, as if the match ended now"),
            "table": CommandWords("table", "the table again"),
            "moves": CommandWords("moves", "your moves again"),
            "talk": CommandWords("talk", "the nudges there are"),
            "rules": CommandWords("rules", "the rules of the game"),
            "help": CommandWords("help", "this list; ? does the same"),
            "quit": CommandWords("quit", "leave the match; nothing is recorded"),
        },
        result=ResultWords(
            player="player",
            place="place",
            points="points",
            alone="Played alone",
            winner="Winner: {names}",
            winners="Shared victory: {names}",
            both="{first} and {last}",
        ),
    ),
    "fr": Words(
        you="vous",
        in_seat="Vous êtes à la place {seat}\u00a0; également à la table\u00a0: {others}.",
        in_seat_alone="Vous êtes à la place {seat}, en solitaire.",
        other="{name} (place {seat})",
        reconstructed="Les règles à {players} sont reconstituées\u00a0; le jeu imprimé peut différer.",
        fixed="Le tirage est fixé\u00a0; en voici l’engagement\u00a0:",
        was_fixed="Le tirage était fixé avant le premier coup\u00a0: l’engagement",
        proof="est le sha256 de {text}",
        left_match="Vous avez quitté la partie\u00a0; rien n’a été enregistré.",
        recorded="La partie est enregistrée dans {path}. Pour la vérifier\u00a0: splito verify {path}",
        your_move="Votre coup",
        for_help="(? pour l’aide)",
        type_for_help="Tapez ? pour l’aide.",
        no_number="il n’y a pas de coup {number}\u00a0: la liste va de 1 à {last}",
        no_move="«\u00a0{text}\u00a0» n’est pas un coup\u00a0: écrivez-le comme dans la liste, par exemple {example}",
        not_legal="{text} n’est pas permis maintenant",
        no_talk="il n’y a pas de paroles dans cette partie",
        no_nudge="vous ne pouvez pas dire «\u00a0{text}\u00a0» maintenant\u00a0: tapez paroles pour la liste",
        says="dit\u00a0: {nudge}",
        would_play="{bot} jouerait ",
        to_type="  (tapez {text})",
        end="Fin",
        points_now="Si la partie s’arrêtait là  ",
        points_at_end="Score  ",
        short_form="un coup, sous sa forme courte",
        by_number="un coup, par son numéro dans la liste",
        with_nudge="un coup, et un message que tous verront avec lui",
        commands={
            "hint": CommandWords("conseil", "ce que jouerait le meilleur bot de la maison"),
            "why": CommandWords("pourquoi", "d’où viennent les points, si la partie s’arrêtait là"),
            "table": CommandWords("table", "revoir la table"),
            "moves": CommandWords("coups", "revoir vos coups"),
            "talk": CommandWords("paroles", "les messages possibles"),
            "rules": CommandWords("règles", "les règles du jeu"),
            "help": CommandWords("aide", "cette liste, comme ?"),
            "quit": CommandWords("quitter", "quitter la partie sans rien enregistrer"),
        },
        result=ResultWords(
            player="joueur",
            place="rang",
            points="score",
            alone="Partie en solitaire",
            winner="Victoire\u00a0: {names}",
            winners="Victoire partagée\u00a0: {names}",
            both="{first} et {last}",
        ),
    ),
    "de": Words(
        you="du",
        in_seat="Du sitzt auf Platz {seat}; außerdem am Tisch: {others}.",
        in_seat_alone="Du sitzt auf Platz {seat} und spielst allein.",
        other="{name} (Platz {seat})",
        reconstructed="Die Regeln für {players} Personen sind rekonstruiert; das gedruckte Spiel kann abweichen.",
        fixed="Die Karten oder Würfel stehen fest; das ist die Festlegung darauf:",
        was_fixed="Die Karten oder Würfel standen vor dem ersten Zug fest: Die Festlegung",
        proof="ist sha256 von {text}",
        left_match="Du hast die Partie verlassen; nichts wurde aufgezeichnet.",
        recorded="Die Aufzeichnung liegt in {path}. Prüfen: splito verify {path}",
        your_move="Dein Zug",
        for_help="(? für Hilfe)",
        type_for_help="Tippe ? für Hilfe.",
        no_number="es gibt keinen Zug {number}: Die Liste geht von 1 bis {last}",
        no_move="„{text}“ ist kein Zug: Schreib ihn wie in der Liste, zum Beispiel {example}",
        not_legal="{text} ist jetzt nicht erlaubt",
        no_talk="in dieser Partie gibt es keine Tischgespräche",
        no_nudge="„{text}“ kannst du jetzt nicht sagen: Tippe hinweise für die Liste",
        says="sagt: {nudge}",
        would_play="{bot} würde spielen: ",
        to_type="  (tippe {text})",
        end="Ende der Partie",
        points_now="Wenn jetzt Schluss wäre  ",
        points_at_end="Punkte  ",
        short_form="ein Zug in seiner Kurzform",
        by_number="ein Zug, nach seiner Nummer in der Liste",
        with_nudge="ein Zug und ein Hinweis, den alle mit ihm sehen",
        commands={
            "hint": CommandWords("tipp", "was der beste Bot des Hauses spielen würde"),
            "why": CommandWords("warum", "woher die Punkte kommen, wenn jetzt Schluss wäre"),
            "table": CommandWords("tisch", "den Tisch noch einmal zeigen"),
            "moves": CommandWords("züge", "deine Züge noch einmal zeigen"),
            "talk": CommandWords("hinweise", "die möglichen Hinweise"),
            "rules": CommandWords("regeln", "die Spielregeln"),
            "help": CommandWords("hilfe", "diese Liste, auch mit ?"),
            "quit": CommandWords("ende", "die Partie verlassen; nichts wird aufgezeichnet"),
        },
        result=ResultWords(
            player="Person",
            place="Rang",
            points="Punkte",
            alone="Allein gespielt",
            winner="Sieg: {names}",
            winners="Geteilter Sieg: {names}",
            both="{first} und {last}",
        ),
    ),
}
