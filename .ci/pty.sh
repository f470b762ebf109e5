#!/usr/bin/env bash
# Tests the chat in a real terminal: .ci/pty.sh. If tmux is missing, installs it from the system's packages, and fails if that
# is not possible.
set -euo pipefail

if ! command -v tmux > /dev/null; then
  echo "pty: tmux is missing; trying apt-get install -y tmux"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q tmux; } || true
fi
command -v tmux > /dev/null || { echo "pty: tmux is missing and could not be installed: the chat was not tried in a terminal" >&2; exit 1; }
tmux -V
exec npm run test:pty -- "$@"
