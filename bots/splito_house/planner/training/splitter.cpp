// Trains the weights of bots/planner/splitter.py by TD(lambda) over afterstates, in self-play, on one sheet.
//   g++ -O3 -march=native -std=c++17 -o train splitter.cpp && ./train A 400000 > A.json && ./train B 400000 > B.json
//   (echo "{\"A\":"; cat A.json; echo ",\"B\":"; cat B.json; echo "}") > ../splitter_weights.json
// A sheet is three kinds of bit sets (one per number, and the free cells) with 9 bits a row, so that shifts by 1 and 9
// reach the neighbours and the ninth bit stops the wrap. Output: a JSON list of
// the tables of each stage, in thousandths of a point.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
using Set = uint64_t;
using std::min;

const char *PICTURES[2][7] = {
    {"..oooo..", ".oooooo.", "oooooooo", "*oooooo*", "oooooooo", ".oooooo.", "..oooo.."},
    {"ooo..oho", "oooooooo", ".hooooo.", ".oo..oo.", ".ooohoo.", "oooooooo", "o*o..o*o"}};
Set CELLS, STARS, HEARTS;
std::vector<std::pair<Set, Set>> PAIRS;

const int STAGES = 7, LIBS = 6, SPACE = 6, LACK = 9, WANTED = 5;  // entries of the tables; the last is for all above
const int GROUP = 0, WORTH = GROUP + 6 * LIBS * SPACE * STAGES, NEED = WORTH + 12 * 6 * STAGES,
          HEART = NEED + 6 * LACK * WANTED * STAGES, SPOILT = HEART + 3 * STAGES, BIAS = SPOILT + 6 * 10 * STAGES, TABLES = BIAS + 22;
float W[TABLES], COUNT[TABLES];

struct Sheet { Set of[7], free; int left; };
struct Feature { int at; float x; };
struct Features { Feature list[128]; int size = 0; void add(int at, float x = 1) { list[size++] = {at, x}; } };

uint64_t STATE = 12345;
uint64_t dice() { STATE ^= STATE << 13; STATE ^= STATE >> 7; STATE ^= STATE << 17; return STATE * 0x2545F4914F6CDD1Dull; }
float unit() { return (dice() >> 40) / 16777216.f; }
int size(Set s) { return __builtin_popcountll(s); }
Set around(Set s) { return (s << 1 | s >> 1 | s << 9 | s >> 9) & CELLS; }
const int STAGE[22] = {0, 0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6};  // by pairs left

Set group_of(Set cell, Set all) {
  for (Set before = 0; before != cell;) { before = cell; cell |= around(cell) & all; }
  return cell;
}
int score(const Sheet &s) {
  int total = 0;
  for (int n = 1; n <= 6; n++) {
    for (Set rest = s.of[n]; rest;) {
      Set g = group_of(rest & -rest, rest);
      rest &= ~g;
      if (size(g) == n) total += g & STARS ? 2 * n : n;
    }
    if (HEARTS && (s.of[n] & HEARTS) == HEARTS) total += 5;
  }
  return total;
}
void number_features(const Sheet &s, int n, Features &f) {
  const int stage = STAGE[s.left];
  Set group[24], edge[24], bad = 0, once = 0, twice = 0;
  int sizes[24], count = 0, lack = 0;
  for (Set rest = s.of[n]; rest; count++) {
    Set g = group_of(rest & -rest, rest);
    rest &= ~g;
    group[count] = g, edge[count] = around(g) & s.free, sizes[count] = size(g);
    twice |= once & edge[count], once |= edge[count];
    if (sizes[count] >= n) bad |= edge[count];
  }
  for (Set rest = twice & ~bad; rest; rest &= rest - 1) {
    Set cell = rest & -rest;
    int joined = 1;
    for (int i = 0; i < count; i++) if (edge[i] & cell) joined += sizes[i];
    if (joined > n) bad |= cell;
  }
  for (int i = 0; i < count; i++) {
    int missing = n - sizes[i], star = group[i] & STARS ? 1 : 0, space = 0;
    if (missing < 0) continue;
    lack += missing;
    Set open = missing ? edge[i] & ~bad : edge[i];
    if (missing > 1) {
      Set reach = open;
      for (int step = 1; step < min(missing, 3); step++) reach |= around(reach) & s.free & ~bad;
      space = min(size(reach & ~open), SPACE - 1);
    }
    f.add(GROUP + ((missing * LIBS + min(size(open), LIBS - 1)) * SPACE + space) * STAGES + stage, n * (1 + star) / 3.f);
    f.add(WORTH + ((star * 6 + n - 1) * 6 + missing) * STAGES + stage, 1 + star);
  }
  f.add(SPOILT + ((n - 1) * 10 + min(size(bad), 9)) * STAGES + stage);
  f.add(NEED + (((n - 1) * LACK + min(lack, LACK - 1)) * WANTED + min(size(once & ~bad), WANTED - 1)) * STAGES + stage);
}
Features features(const Sheet &s) {
  Features f;
  int numbers = 0, hearts = 0;
  for (int n = 1; n <= 6; n++) {
    number_features(s, n, f);
    if (s.of[n] & HEARTS) numbers++, hearts = size(s.of[n] & HEARTS);
  }
  if (numbers == 1) f.add(HEART + (hearts - 1) * STAGES + STAGE[s.left]);
  f.add(BIAS + s.left);
  return f;
}
float value(const Features &f) {
  float total = 0;
  for (int i = 0; i < f.size; i++) total += W[f.list[i].at] * f.list[i].x;
  return total;
}
float value(const Sheet &s) { return s.left ? value(features(s)) : score(s); }

// One gradient step; the rate is a share of the step that would remove the whole error.
void learn(const Sheet &s, float target, float rate) {
  Features f = features(s);
  float norm = 0;
  for (int i = 0; i < f.size; i++) {
    float &c = COUNT[f.list[i].at], old = c;
    c += f.list[i].x, norm += c * c - old * old;
  }
  float step = (target - value(f)) * rate / norm;
  for (int i = 0; i < f.size; i++) COUNT[f.list[i].at] = 0;
  for (int i = 0; i < f.size; i++) W[f.list[i].at] += step * f.list[i].x;
}
Sheet choose(const Sheet &s, int a, int b, float noise, float &best, float &chosen) {
  Sheet pick = s;
  float top = -1e9;
  best = -1e9;
  for (auto [left, right] : PAIRS)
    for (int turn = 0; turn < (a == b ? 1 : 2) && s.free & left; turn++) {
      Sheet next = s;
      next.of[turn ? b : a] |= left, next.of[turn ? a : b] |= right, next.free &= ~(left | right), next.left--;
      float v = value(next), heard = noise ? v + noise * (unit() + unit() - 1) : v;
      best = std::max(best, v);
      if (heard > top) top = heard, pick = next, chosen = v;
    }
  return pick;
}
int play(float noise, float lambda, float rate) {
  Sheet s{{}, CELLS, 22}, seen[22];
  float best[22], chosen[22];
  int turns = 0;
  for (; s.left; turns++) {
    seen[turns] = s;
    int a = dice() % 6 + 1, b = dice() % 6 + 1;
    s = choose(s, a, b, noise, best[turns], chosen[turns]);
  }
  float result = score(s), target = result;
  for (int t = turns - 1; t > 0 && rate > 0; t--) {
    if (chosen[t] < best[t]) target = best[t];  // an explored move: what it led to is not what the plan is worth
    else if (t < turns - 1) target = lambda * target + (1 - lambda) * value(seen[t + 1]);
    learn(seen[t], target, rate);
  }
  return result;
}
void print_sheet(int sheet) {
  CELLS = STARS = HEARTS = 0;
  for (int r = 0; r < 7; r++)
    for (int c = 0; c < 8; c++) {
      Set cell = Set(1) << (r * 9 + c);
      char mark = PICTURES[sheet][r][c];
      if (mark == '.') continue;
      CELLS |= cell;
      if (mark == '*') STARS |= cell;
      if (mark == 'h') HEARTS |= cell;
      if (c < 4) PAIRS.push_back({cell, Set(1) << (r * 9 + 7 - c)});
    }
}
void first_guess() {  // a complete group is worth its number, any other a share of it: enough to start sensibly
  for (int m = 0; m < 6; m++) for (int l = 0; l < LIBS; l++) for (int p = 0; p < SPACE; p++) for (int t = 0; t < STAGES; t++)
    W[GROUP + ((m * LIBS + l) * SPACE + p) * STAGES + t] = 3 * (m == 0 ? 1 : l == 0 ? 0 : l + p < m ? 0.1 : 0.7 * (1 - m / 6.));
}
// JSON: a list of what the function prints for 0, 1, ... count - 1.
template <class Print> void list(int count, Print print) {
  for (int i = 0; i < count; i++) putchar(i ? ',' : '['), print(i);
  putchar(']');
}
void number(int at, float scale = 1) { printf("%d", int(std::lround(1000 * scale * W[at]))); }
void print_stage(int t) {
  printf("{\"group\":");
  list(6, [=](int m) { list(LIBS, [=](int l) { list(m > 1 ? SPACE : 1, [=](int p) {
    number(GROUP + ((m * LIBS + l) * SPACE + p) * STAGES + t, 1 / 3.f); }); }); });
  printf(",\n\"worth\":");
  list(2, [=](int star) { list(6, [=](int n) { list(n + 1, [=](int m) {
    number(WORTH + ((star * 6 + n) * 6 + m) * STAGES + t, 1 + star); }); }); });
  printf(",\n\"need\":");
  list(6, [=](int n) { list(LACK, [=](int l) { list(WANTED, [=](int w) {
    number(NEED + ((n * LACK + l) * WANTED + w) * STAGES + t); }); }); });
  printf(",\n\"spoilt\":");
  list(6, [=](int n) { list(10, [=](int b) { number(SPOILT + (n * 10 + b) * STAGES + t); }); });
  printf(",\n\"hearts\":");
  list(4, [=](int h) { if (h) number(HEART + (h - 1) * STAGES + t); else putchar('0'); });
  printf("}\n");
}
int main(int argc, char **argv) {
  print_sheet(argv[1][0] - 'A');
  const long games = atol(argv[2]);
  const float lambda = argc > 3 ? atof(argv[3]) : 0.7, rate = argc > 4 ? atof(argv[4]) : 0.5, noise = argc > 5 ? atof(argv[5]) : 2;
  STATE += 7919 * (argc > 6 ? atol(argv[6]) : 1);
  first_guess();
  for (long g = 0; g < games; g++) {
    double t = double(g) / games, cool = t < 0.5 ? 1 : pow(0.02, 2 * t - 1);
    float sound = g % 2 ? noise * std::clamp(1 - (t - 0.7) / 0.2, 0., 1.) : 0;
    play(sound, lambda, rate * cool);
  }
  double sum = 0, squares = 0;
  const int trials = 10000;
  for (int g = 0; g < trials; g++) { double x = play(0, 0, 0); sum += x, squares += x * x; }
  double mean = sum / trials;
  fprintf(stderr, "%s: %.3f +- %.3f over %d games\n", argv[1], mean, 1.96 * sqrt((squares / trials - mean * mean) / trials), trials);
  list(STAGES, print_stage);
}
