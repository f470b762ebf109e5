#!/bin/sh
# Drives the first start and `configure` of the real program in a real terminal (tmux), against a server of models on loopback.
# Usage: test/tui/first-run-smoke.sh [PROGRAM]; PROGRAM defaults to dist/program/palimpsest.js. Exits 1 at the first thing missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/dist/program/palimpsest.js}
folder=$(mktemp -d)
socket="palimpsest-first-$$"
server=

tmux_run() { tmux -L "$socket" -f /dev/null "$@"; }
screen() { tmux_run capture-pane -t chat -p; }
finish() {
  tmux_run kill-server 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT INT TERM

# until_shown TEXT: waits half a minute for a text, then shows what there is instead.
until_shown() {
  tries=0
  until screen | grep -qF -- "$1"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ]; then
      printf 'never shown: %s\n' "$1" >&2
      screen >&2
      exit 1
    fi
    sleep 0.1
  done
}

absent() { ! screen | grep -qF -- "$1" || { printf 'shown, and should not be: %s\n' "$1" >&2; screen >&2; exit 1; }; }
there() { [ -e "$1" ] || { printf 'no such file: %s\n' "$1" >&2; exit 1; }; }
missing() { [ ! -e "$1" ] || { printf 'was written: %s\n' "$1" >&2; exit 1; }; }
keys() { tmux_run send-keys -t chat "$@"; }
say() {
  keys -l "$1"
  keys Enter
}
show() { printf '===== %s\n' "$1" && screen; }

# begin [VARIABLE=VALUE …]: a terminal with a home of its own and nothing of this environment.
begin() {
  tmux_run kill-session -t chat 2>/dev/null || true
  tmux_run new-session -d -s chat -x 80 -y 24 \
    "env -i PATH='$PATH' TERM=xterm-256color LANG=C.UTF-8 HOME='$folder/home' $* PS1='$ ' sh"
}
run() { say "clear; node '$program' $*"; }

mkdir "$folder/home"
node "$root/test/tui/model-server.mjs" >"$folder/port" &
server=$!
tries=0
until [ -s "$folder/port" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "the server of models did not start" >&2; exit 1; }
  sleep 0.1
done
port=$(cat "$folder/port")
data="$folder/home/.palimpsest"

for key in C-c C-d; do
  begin
  run ""
  until_shown "Your choice (Enter: 1):"
  keys "$key"
  until_shown "Nothing was saved."
  missing "$data"
done
show "left by Ctrl+D: nothing is written"

for variable in CI=1 TERM=dumb; do
  begin "$variable"
  run ""
  until_shown "demo model: pattern rules"
  absent "Your choice"
  missing "$data/config.json"
  rm -rf "$data"
done

begin
run ""
until_shown "Your choice (Enter: 1):"
show "the first start"
say 4
until_shown "(Enter goes back):"
say "http://localhost:$port"
until_shown "It wants a key."
say "sk-wrong"
until_shown "It refused that key."
say "sk-right"
until_shown "Which model?"
absent "sk-"
say 1
until_shown "/help shows what you can do."
until_shown "main · openai/tiny"
say "Are you there?"
until_shown "● Hello from tiny."
show "a server by its address, with a key"
say "/exit"
until_shown "palimpsest -r "
[ "$(stat -c %a "$data/config.json" "$data/secrets.json" | sort -u)" = 600 ] || { echo "rights are not 600" >&2; exit 1; }
grep -q sk-right "$data/secrets.json" || { echo "the key was not saved" >&2; exit 1; }

run ""
until_shown "/help shows what you can do."
absent "Your choice"
say "/exit"
until_shown "palimpsest -r "

run configure
until_shown "Now: openai/tiny at http://localhost:$port/v1. Keys that are set: OpenAI's."
until_shown "Your choice (Enter: 1):"
keys Enter
until_shown "Saved: demo"
there "$data/secrets.json"
show "configure, back to the demo"
printf 'ok\n'
