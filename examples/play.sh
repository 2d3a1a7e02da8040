#!/bin/sh
# Plays a whole game against bots with curl; python3 parses the JSON.
#
#     sh examples/play.sh [http://127.0.0.1:8000 [RULESET [FILE]]]
#
# FILE stores the client's token, which the client generates itself. Started again with the same FILE,
# it resumes the same game: creating the game and claiming the seat are repeated with the same keys and
# have no second effect.
set -eu

service=${1:-http://127.0.0.1:8000}
service=${service%/}
ruleset=${2:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=${3:-$folder/token}

random() { head -c "$1" /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# pick EXPRESSION …: parts of the last response (`data`), one per line, as text or JSON.
pick() {
    python3 -c '
import json, random, sys
data = json.load(open(sys.argv[1], encoding="utf-8"))
for each in sys.argv[2:]:
    found = eval(each)
    print(found if isinstance(found, str) else json.dumps(found))' "$folder/body" "$@"
}

# call PATH [OPTION …]: sets `status`, $folder/head and $folder/body. curl repeats the request if there
# is no response, on 429 and on 503; with an Idempotency-Key it still takes effect once. The token is
# read from a file, so that no list of processes shows it.
call() {
    path=$1
    shift
    status=$(curl -sS --max-time 30 --retry 8 --retry-all-errors -H "@$folder/headers" \
        -D "$folder/head" -o "$folder/body" -w '%{http_code}' "$@" "$service$path" 2>"$folder/log") || {
        cat "$folder/log" >&2
        exit 1
    }
    case $status in
    2?? | 409 | 412) ;;
    *) pick 'data["code"] + ": " + data["detail"]' >&2 && exit 1 ;;
    esac
}

if [ ! -s "$file" ]; then
    (umask 077 && echo "bl_$(random 32)" >"$file")
fi
{
    echo "Authorization: Bearer $(cat "$file")"
    echo "Content-Type: application/json"
} >"$folder/headers"

call /v1/rulesets
ruleset=${ruleset:-$(pick 'data["rulesets"][0]["id"]')}
smallest=$(pick "next(each['seats'][0] for each in data['rulesets'] if each['id'] == '$ruleset')")
seats='{"kind": "human"}'
while [ "$smallest" -gt 1 ]; do
    seats="$seats, {\"kind\": \"bot\", \"level\": \"easy\"}"
    smallest=$((smallest - 1))
done
call /v1/games -H "Idempotency-Key: create" -d "{\"ruleset\": \"$ruleset\", \"seats\": [$seats]}"
game=$(pick 'data["game"]["links"]["self"]')
seat=$(pick 'data["claim_codes"][0]["seat"]')
code=$(pick 'data["claim_codes"][0]["claim_code"]')
call "$game/seats/$seat" -H "Idempotency-Key: claim" -d "{\"claim_code\": \"$code\", \"name\": \"example\"}"
echo "$service$game"

while :; do
    call "$game/moves"
    tag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: *//p' "$folder/head" | tr -d '\r' | tail -n 1)
    pick 'data["reason"]' 'data["version"]' '(move := random.choice(data["moves"] or [data]))' \
        'move.get("text")' '{"seat": move.get("seat"), "command": move.get("command")}' >"$folder/next"
    {
        read -r reason
        read -r version
        read -r _
        read -r text
        read -r body
    } <"$folder/next"
    case $reason in
    null) # The client's turn. One key per move: if the response is lost, curl repeats the request, which
        # has no second effect.
        call "$game/commands" -H "If-Match: $tag" -H "Idempotency-Key: $(random 12)" -d "$body"
        if [ "$status" = 201 ]; then echo "$text"; fi # else the game has moved on: look again
        ;;
    game_over) break ;;
    *) call "$game/events?after=$version" -H "Prefer: wait=20" ;;
    esac
done

call "$game/score"
pick '"\n".join(f"seat {s['"'seat'"']}: {s['"'total'"']} points, rank {s['"'rank'"']}" for s in data["seats"])'
