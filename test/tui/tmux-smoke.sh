#!/bin/sh
# Drives the real program in a real terminal (tmux) through the acceptance conversation, and prints the screens.
# Usage: test/tui/tmux-smoke.sh [PROGRAM]; PROGRAM defaults to dist/bin/palimpsest.js. Exits 1 at the first thing missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/dist/bin/palimpsest.js}
folder=$(mktemp -d)
socket="palimpsest-smoke-$$"

tmux_run() { tmux -L "$socket" -f /dev/null "$@"; }
screen() { tmux_run capture-pane -t chat -p; }
finish() {
  tmux_run kill-server 2>/dev/null || true
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

# until_replies COUNT: waits until the agent has answered that often since the terminal was opened.
until_replies() {
  tries=0
  until [ "$(tmux_run capture-pane -t chat -p -S - | grep -c '^● ')" -ge "$1" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 300 ] || { echo "never answered $1 times" >&2; screen >&2; exit 1; }
    sleep 0.1
  done
  until_shown "Enter send · Alt+Enter"
}

say() {
  tmux_run send-keys -t chat -l "$1"
  tmux_run send-keys -t chat Enter
}

# Ink draws nothing but the last frame where CI is set, even if empty.
start() {
  say "env -u CI -u ANTHROPIC_API_KEY -u OPENAI_API_KEY node '$program' --data-dir '$folder/data' -m demo"
  until_shown "/help shows what you can do."
}

show() { printf '===== %s\n' "$1" && screen; }

begin() { tmux_run new-session -d -s chat -x 100 -y 30 "env -u CI PS1='$ ' sh"; }

begin
start
say "My name is Ada and I live in Lisbon."
until_replies 1
say "I like sailing."
until_replies 2
say "What is the tallest mountain?"
until_replies 3
show "told it a name and two facts, asked something else"

say "/memory"
until_shown "human "
until_shown "r1  core_memory_"
show "/memory"

say "/exit"
until_shown "palimpsest -r "
show "/exit"

tmux_run kill-session -t chat
begin
start
say "what is my name?"
until_shown "Your name is Ada"
until_shown "Enter send · Alt+Enter"
show "started again, asked for the name"

say "/exit"
until_shown "palimpsest -r "
printf 'ok\n'
