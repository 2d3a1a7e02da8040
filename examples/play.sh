#!/bin/sh
# Plays a whole game against bots with curl; python3 picks from the JSON.
#
#     sh examples/play.sh [http://127.0.0.1:8000 [RULESET [FILE]]]
#
# FILE keeps the client's token, which the client makes itself. Started again with the same FILE, it
# goes on with the same game: laying the table and taking the seat are repeated under the same keys
# and have no second effect.
set -eu

service=${1:-http://127.0.0.1:8000}
service=${service%/}
ruleset=${2:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=${3:-$folder/token}

random() { head -c "$1" /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# pick EXPRESSION …: parts of the last answer (`told`), a line each, as text or JSON.
pick() {
    python3 -c '
import json, random, sys
told = json.load(open(sys.argv[1], encoding="utf-8"))
for each in sys.argv[2:]:
    found = eval(each)
    print(found if isinstance(found, str) else json.dumps(found))' "$folder/body" "$@"
}

# ask PATH [OPTION …]: leaves `status`, $folder/head and $folder/body. curl repeats the request when
# no answer comes, on 429 and on 503; with an Idempotency-Key it has one effect all the same. The
# token is read from a file, so that it is in no list of processes.
ask() {
    path=$1
    shift
    status=$(curl -sS --max-time 30 --retry 8 --retry-all-errors -H "@$folder/headers" \
        -D "$folder/head" -o "$folder/body" -w '%{http_code}' "$@" "$service$path" 2>"$folder/log") || {
        cat "$folder/log" >&2
        exit 1
    }
    case $status in
    2?? | 409 | 412) ;;
    *) pick 'told["code"] + ": " + told["detail"]' >&2 && exit 1 ;;
    esac
}

if [ ! -s "$file" ]; then
    (umask 077 && echo "bl_$(random 32)" >"$file")
fi
{
    echo "Authorization: Bearer $(cat "$file")"
    echo "Content-Type: application/json"
} >"$folder/headers"

ask /v1/rulesets
ruleset=${ruleset:-$(pick 'told["rulesets"][0]["id"]')}
fewest=$(pick "next(each['seats'][0] for each in told['rulesets'] if each['id'] == '$ruleset')")
seats='{"kind": "human"}'
while [ "$fewest" -gt 1 ]; do
    seats="$seats, {\"kind\": \"bot\", \"level\": \"easy\"}"
    fewest=$((fewest - 1))
done
ask /v1/games -H "Idempotency-Key: lay" -d "{\"ruleset\": \"$ruleset\", \"seats\": [$seats]}"
game=$(pick 'told["game"]["links"]["self"]')
seat=$(pick 'told["claim_codes"][0]["seat"]')
code=$(pick 'told["claim_codes"][0]["claim_code"]')
ask "$game/seats/$seat" -H "Idempotency-Key: sit" -d "{\"claim_code\": \"$code\", \"name\": \"example\"}"
echo "$service$game"

while :; do
    ask "$game/moves"
    tag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: *//p' "$folder/head" | tr -d '\r' | tail -n 1)
    pick 'told["reason"]' 'told["version"]' '(move := random.choice(told["moves"] or [told]))' \
        'move.get("text")' '{"seat": move.get("seat"), "command": move.get("command")}' >"$folder/next"
    {
        read -r reason
        read -r version
        read -r _
        read -r text
        read -r body
    } <"$folder/next"
    case $reason in
    null) # The client's turn. One key for the move: if the answer is lost, curl repeats it, and it
        # has one effect.
        ask "$game/commands" -H "If-Match: $tag" -H "Idempotency-Key: $(random 12)" -d "$body"
        if [ "$status" = 201 ]; then echo "$text"; fi # else the game has moved on: look again
        ;;
    game_over) break ;;
    *) ask "$game/events?after=$version" -H "Prefer: wait=20" ;;
    esac
done

ask "$game/score"
pick '"\n".join(f"seat {s['"'seat'"']}: {s['"'total'"']} points, rank {s['"'rank'"']}" for s in told["seats"])'
