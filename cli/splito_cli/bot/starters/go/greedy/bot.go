// A bot that collects the cards that the moons and stars of its zones count: a Splito score is left zone × right zone.

package main

import (
	"encoding/json"
	"strconv"
	"strings"
)

var info = Info{
	Name:        "MY-BOT",
	Author:      "me",
	Version:     "1", // the ratings treat a new version as a new bot
	Games:       []string{"splito", "splitit", "splitter"},
	Batch:       64,
	Concurrency: 8,
}

// choose returns the index of one of ask.Moves.
func choose(ask Ask) (int, error) {
	if ask.Game == "splito" {
		return chooseInSplito(ask)
	}
	seed, err := strconv.ParseUint(ask.Seed[:8], 16, 32)
	return int(seed) % len(ask.Moves), err
}

type splitoMove struct{ Card, Side string }

type splitoView struct {
	Commons []string
	Zones   [][]string
	Seats   []struct{ Left, Right int } // the indices of the seat's two zones
}

func chooseInSplito(ask Ask) (int, error) {
	var view splitoView
	var moves []splitoMove
	if err := json.Unmarshal(ask.View, &view); err != nil {
		return 0, err
	}
	if err := json.Unmarshal(ask.Moves.JSON(), &moves); err != nil {
		return 0, err
	}
	best, most := 0, -1
	for index, move := range moves {
		seat := view.Seats[ask.Seat]
		if worth := hope(view, seat.Left, move, "left") * hope(view, seat.Right, move, "right"); worth > most {
			best, most = index, worth
		}
	}
	return best, nil
}

// hope returns 1, and 1 more for each card that a moon or star counts in the zone after the move.
func hope(view splitoView, zone int, move splitoMove, side string) int {
	cards := append([]string{}, view.Zones[zone]...)
	if move.Side == side {
		cards = append(cards, move.Card)
	}
	sum := 1
	for _, objective := range append(append([]string{}, cards...), view.Commons...) {
		if sign := countedBy(objective); sign != "" {
			for _, card := range cards {
				if !strings.Contains(card, "-") && strings.Contains(card, sign) {
					sum++
				}
			}
		}
	}
	return sum
}

// countedBy returns the sign of the cards that an Objective counts, "r" for moon-red and "4" for star-4; else "".
func countedBy(card string) string {
	kind, of, _ := strings.Cut(card, "-")
	if kind != "moon" && kind != "star" {
		return ""
	}
	if of == "black" {
		return "k"
	}
	return of[:1]
}
