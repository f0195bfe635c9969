#!/bin/sh
# A whole match against two bots of the house, from a shell: curl asks, python3 picks the answers apart.
#
#     sh play.sh splito http://127.0.0.1:8000
#
# Your seat always plays the first of its legal moves.
set -eu

game=${1:-splito}
url=${2:-http://127.0.0.1:8000}

# pick status seats.0.name < answer: what stands there in the JSON, a line for each; an empty one where nothing does.
pick() {
    python3 -c '
import json, sys
answer = json.load(sys.stdin)
for path in sys.argv[1:]:
    found = answer
    for key in path.split("."):
        found = found[int(key)] if isinstance(found, list) and found else found and found[key]
    print(found if isinstance(found, str) else json.dumps(found) if found or found == 0 else "")' "$@"
}

# ask METHOD ADDRESS [BODY]: the answer. A refusal is shown, and ends the script.
# The token goes to curl by its input: on its command line everybody on this machine could read it.
ask() {
    answer=$(printf 'Authorization: %s\n' "${token:+Bearer $token}" |
        curl --silent --show-error --fail-with-body --header @- --header 'Content-Type: application/json' \
            --request "$1" ${3:+--data "$3"} "$url$2") || { printf '%s\n' "$answer" >&2; exit 1; }
    printf '%s\n' "$answer"
}

# Make a match: a person, whose token is in the answer, and two bots. The cards are dealt at once.
token=
created=$(ask POST "/v1/$game/matches" \
    '{"seats": [{"kind": "person", "name": "Ada"}, {"kind": "bot", "bot": "planner"}, {"kind": "bot", "bot": "greedy"}]}')
match=/v1/$game/matches/$(printf %s "$created" | pick match.id)
token=$(printf %s "$created" | pick tokens.0)

status=running
turn=-1
while [ "$status" != over ]; do
    # Wait until the turn after the last one we know has begun, 25 seconds at most, and see it as our seat does.
    position=$(ask GET "$match?after=$turn&wait=25")
    { read -r status; read -r turn; read -r move || move=; } <<EOF
$(printf %s "$position" | pick status turn legal_moves.0)
EOF
    # Without a legal move, it is for others to decide.
    if [ -n "$move" ]; then
        printf 'turn %s: %s\n' "$turn" "$move"
        # Seal it. If the answer is lost, the same request again does no harm.
        ask PUT "$match/turns/$turn/seats/0" "{\"move\": $move}" >/dev/null
    fi
done

# Where the scores come from; and the scores, points first and then what breaks ties.
ask GET "$match/explanation?lang=en" | pick totals.0 totals.1 totals.2
printf 'scores: %s\n' "$(printf %s "$position" | pick scores)"
printf 'record: %s\n' "$url$match/record"
