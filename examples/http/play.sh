#!/bin/sh
# A whole match against two house bots, from a shell: curl sends the requests, python3 reads the JSON.
#
#     sh play.sh splito http://127.0.0.1:8000
#
# Your seat always plays its first legal move.
set -eu

game=${1:-splito}
url=${2:-http://127.0.0.1:8000}

# pick status seats.0.name < answer: prints the values at these paths of the JSON, one per line; an empty line if there
# is none.
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

# ask METHOD ADDRESS [BODY]: prints the answer. A refusal is printed to stderr and ends the script.
# curl reads the token from its input, because every user of this machine could read it on the command line.
ask() {
    answer=$(printf 'Authorization: %s\n' "${token:+Bearer $token}" |
        curl --silent --show-error --fail-with-body --header @- --header 'Content-Type: application/json' \
            --request "$1" ${3:+--data "$3"} "$url$2") || { printf '%s\n' "$answer" >&2; exit 1; }
    printf '%s\n' "$answer"
}

# Create a match with a person, whose token is in the answer, and two bots. The cards are dealt at once.
token=
created=$(ask POST "/v1/$game/matches" \
    '{"seats": [{"kind": "person", "name": "Ada"}, {"kind": "bot", "bot": "planner"}, {"kind": "bot", "bot": "greedy"}]}')
match=/v1/$game/matches/$(printf %s "$created" | pick match.id)
token=$(printf %s "$created" | pick tokens.0)

status=running
turn=-1
while [ "$status" != over ]; do
    # Wait for the next turn, 25 seconds at most, and read the view of our seat.
    position=$(ask GET "$match?after=$turn&wait=25")
    { read -r status; read -r turn; read -r move || move=; } <<EOF
$(printf %s "$position" | pick status turn legal_moves.0)
EOF
    # Without a legal move, other seats have to move.
    if [ -n "$move" ]; then
        printf 'turn %s: %s\n' "$turn" "$move"
        # Seal the move. If the answer is lost, the request may be repeated.
        ask PUT "$match/turns/$turn/seats/0" "{\"move\": $move}" >/dev/null
    fi
done

# Print the explanation of the scores, and the scores: points first, then tie-breakers.
ask GET "$match/explanation?lang=en" | pick totals.0 totals.1 totals.2
printf 'scores: %s\n' "$(printf %s "$position" | pick scores)"
printf 'record: %s\n' "$url$match/record"
