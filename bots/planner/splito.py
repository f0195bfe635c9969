from functools import cache
from math import exp, erf, sqrt, log
from random import Random
import msgspec
from engine.games.splito.deck import find_deck
from engine.games.splito.objectives import Cards, Different, Each, Exactly, Most
from engine.games.splito.rules import HAND, PLACES

class W:
    get_exact = 2.5; leak_exact = 0.35
    get_each = 2.0
    get_diff = 2.0; leak_diff = 0.45
    want = 1.8; neutral = 0.8
    steer = 1.0
    future = 0.45
    rival = 0.7; heat = 8.0
    mode = 0
    tau0 = 4.0; tau1 = 2.0
    fut_obj = 0.0

STEP = 10
@cache
def poisson(rate):
    """pmf, cdf of rate/STEP"""
    lam = rate / STEP
    pmf = [exp(-lam)]
    while len(pmf) < 20: pmf.append(pmf[-1] * lam / len(pmf))
    cdf, t = [], 0.0
    for p in pmf: t += p; cdf.append(min(t, 1.0))
    return pmf, cdf

def pois(rate): return poisson(int(rate * STEP + 0.5))

@cache
def shares(players, rounds, start):
    """[hand seat][zone] chance that a card of the hand lands there in rounds start..rounds-1."""
    out = []
    for seat in range(players):
        row = [0.0] * (players if players > 2 else 4)
        for t in range(start, rounds):
            for z in PLACES[players][(seat - t) % players]: row[z] += 0.5 / (rounds - start)
        out.append(row)
    return out

class Signs:
    def __init__(self, deck):
        self.names = [c.letter for c in deck.file.colours] + [str(v) for v in range(1, deck.file.values + 1)]
        index = {s: i for i, s in enumerate(self.names)}
        self.index = index
        self.of = {}
        for code in deck.faces: self.of[deck.names[code]] = (index[deck.names[code][0]], index[deck.names[code][1]])
        self.colours = range(len(deck.file.colours)); self.values = range(len(deck.file.colours), len(self.names))
        self.need = {}
        for code, o in deck.objectives.items():
            n = o.need
            match n:
                case Most(): d = ("most", index[n.of], 0)
                case Exactly(): d = ("exactly", index[n.of], n.count)
                case Each(): d = ("each", tuple(index[s] for s in n.of), 0)
                case Different(): d = ("different", self.colours if n.of == "colours" else self.values, n.count)
                case Cards(): d = ("cards", n.at_least, n.at_most)
            self.need[o.id] = (o.points, *d)
        self.total = [0] * len(self.names)
        for code in deck.cards:
            if (s := self.of.get(deck.names[code])):
                for x in s: self.total[x] += 1
        self.deck_size = len(deck.cards)

@cache
def signs_of(name): return Signs(find_deck(name))

class Outlook:
    def __init__(self, view, seat):
        self.view, self.seat = view, seat
        self.signs = sg = signs_of(view.options.deck)
        n = self.n = view.players
        self.places = PLACES[n]
        total_rounds = 2 * HAND if n == 2 else HAND
        self.rounds = view.seats[seat].hand_size
        self.left = total_rounds - view.rounds_played   # all rounds, this one included
        k = len(sg.names)
        self.counts = [[0] * k for _ in view.zones]
        self.local = [[] for _ in view.zones]
        self.stake = {}
        self.cards = [len(z) for z in view.zones]
        seen = [0] * k
        for z, zone in enumerate(view.zones):
            row = self.counts[z]
            for card in zone:
                s = sg.of.get(card)
                if s: row[s[0]] += 1; row[s[1]] += 1
                else:
                    nd = sg.need[card]
                    if nd[1] == "most": self.stakes(nd[2])[z] += nd[0]
                    else: self.local[z].append(nd)
        for card in view.commons:
            nd = sg.need[card]
            st = self.stakes(nd[2])
            for z in range(len(st)): st[z] += nd[0]
        self.rates = self.landing()

    def stakes(self, s): return self.stake.setdefault(s, [0] * len(self.cards))

    def landing(self):
        view, sg, n = self.view, self.signs, self.n
        k = len(sg.names)
        hands, unknown = [], 0
        left = list(sg.total); size = sg.deck_size - len(view.commons) - sum(self.cards)
        for row in self.counts:
            for i in range(k): left[i] -= row[i]
        for st in view.seats:
            if st.hand is None: hands.append(None); continue
            h = [0] * k
            for card in st.hand:
                for x in sg.of.get(card, ()): h[x] += 1
            hands.append(h); size -= len(st.hand)
            for i in range(k): left[i] -= h[i]
        mean = [x / size if size > 0 else 0.0 for x in left]
        rates = [[0.0] * k for _ in self.cards]
        others = shares(n, self.rounds, 0)
        self.mine = shares(n, self.rounds, 1)[self.seat] if self.rounds > 1 else [0.0] * len(self.cards)
        for j, st in enumerate(view.seats):
            h = hands[j]
            if h is None: h = [m * st.hand_size for m in mean]
            w = self.mine if j == self.seat else others[j]
            for z, share in enumerate(w):
                if share:
                    row = rates[z]
                    for i in range(k): row[i] += share * h[i]
        if self.left > self.rounds:
            for row in rates:
                for i in range(k): row[i] += 6.5 * mean[i]
        return rates

    def chance(self, nd, z, row, rates, cards):
        _, kind, a, b = nd
        if kind == "exactly":
            d = b - row[a]
            if d < 0: return 0.0
            lam = rates[a]
            p = exp(-W.leak_exact * lam)
            return p if d == 0 else p * (1 - pois(W.get_exact * lam)[1][d - 1])
        if kind == "each":
            p = 1.0
            for s in a:
                if not row[s]: p *= 1 - exp(-W.get_each * rates[s])
            return p
        if kind == "different":
            missing = [rates[s] for s in a if not row[s]]
            d = b - len(a) + len(missing)
            if d < 0: return 0.0
            if d == len(missing):
                p = 1.0
                for x in missing: p *= 1 - exp(-W.get_diff * x)
                return p
            lam = sum(missing)
            if d == 0: return exp(-W.leak_diff * lam)
            return (1 - pois(W.get_diff * lam)[1][d - 1]) * exp(-W.leak_diff * lam * (len(missing) - d) / len(missing))
        # cards
        if self.n == 2: m = self.left / 2 ; m = (self.left - 1) / 2 ; v = (self.left - 1) / 4
        else:
            own = z in self.places[self.seat]
            plays = 2 * self.left - own
            m, v = plays / 2, plays / 4
        sd = sqrt(v + 0.05)
        if a: return phi((cards + m + W.steer * sd - a + 0.5) / sd)
        return phi((b + 0.5 - cards - m + W.steer * sd) / sd)

    def majority(self, s, counts, rates, stake):
        """chance per zone to hold strictly most of s"""
        n = len(counts)
        top = max(counts)
        dist = []
        for z in range(n):
            dist.append(pois((W.want if stake[z] else W.neutral) * rates[z]))
        out = [0.0] * n
        T = max(top, 1)
        for total in range(T, T + 9):
            below = [0.0] * n; prod = 1.0
            for z in range(n):
                k = total - 1 - counts[z]
                b = below[z] = dist[z][1][k] if k >= 0 else 0.0
            zeros = below.count(0.0)
            if zeros > 1: continue
            for b in below:
                if b: prod *= b
            for z in range(n):
                k = total - counts[z]
                if k < 0: continue
                if zeros:
                    if below[z] == 0.0: out[z] += dist[z][0][k] * prod
                else: out[z] += dist[z][0][k] * prod / below[z]
        return out

    def local_points(self, z, objectives, row, rates, cards):
        return sum([nd[0] * self.chance(nd, z, row, rates, cards) for nd in objectives])

    def prepare(self):
        n = len(self.cards)
        self.base_local = [self.local_points(z, self.local[z], self.counts[z], self.rates[z], self.cards[z]) for z in range(n)]
        self.base_major = {s: self.majority(s, [c[s] for c in self.counts], [r[s] for r in self.rates], st) for s, st in self.stake.items()}
        self.points = list(self.base_local)
        for s, st in self.stake.items():
            p = self.base_major[s]
            for z in range(n): self.points[z] += st[z] * p[z]
        self.add = W.future * (self.left - 1)
        self.done = [0] * self.n
        for deal in self.view.finished:
            for i, sc in enumerate(deal.scores): self.done[i] += sc[0]

    def worth(self, card, side):
        sg = self.signs
        z = self.places[self.seat][side]
        points = list(self.points)
        row, rates, cards = self.counts[z], self.rates[z], self.cards[z] + 1
        local = self.local[z]
        touched = sg.of.get(card)
        if touched:
            row = list(row); rates = list(rates)
            for s in touched: row[s] += 1; rates[s] = max(0.0, rates[s] - self.mine[z])
            for s in touched:
                st = self.stake.get(s)
                if st:
                    cs = [c[s] for c in self.counts]; cs[z] += 1
                    rs = [max(0.0, r[s] - m) for r, m in zip(self.rates, self.mine)]
                    for y, (new, old) in enumerate(zip(self.majority(s, cs, rs, st), self.base_major[s])):
                        points[y] += st[y] * (new - old)
        else:
            nd = sg.need[card]
            if nd[1] == "most":
                s = nd[2]
                st = list(self.stake.get(s, [0] * len(points))); st[z] += nd[0]
                p = self.majority(s, [c[s] for c in self.counts], [r[s] for r in self.rates], st)
                old, ost = self.base_major.get(s), self.stake.get(s)
                for y in range(len(points)):
                    points[y] += st[y] * p[y] - (ost[y] * old[y] if old else 0)
            else: local = [*local, nd]
        points[z] += self.local_points(z, local, row, rates, cards) - self.base_local[z]
        return self.utility(points)

    def utility(self, points):
        add = self.add
        final = [(points[l] + add) * (points[r] + add) + d for (l, r), d in zip(self.places, self.done)]
        me = final.pop(self.seat)
        top = max(final)
        if W.mode == 0:
            soft = top + W.heat * log(sum([exp((f - top) / W.heat) for f in final]) / len(final))
            return me - W.rival * soft
        tau = W.tau0 + W.tau1 * self.left
        return -sum([exp((f - me) / tau) for f in final])

def phi(x): return 0.5 * (1 + erf(x / 1.4142135623730951))

def choose(ask):
    out = Outlook(ask.view, ask.seat)
    out.prepare()
    worths = [out.worth(m.card, m.side == "right") for m in ask.moves]
    best = max(worths)
    return Random(ask.seed).choice([m for m, w in zip(ask.moves, worths) if w > best - 1e-9])
