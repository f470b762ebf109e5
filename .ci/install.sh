#!/usr/bin/env bash
# Installs programs from the system's packages unless they are there: .ci/install.sh tmux chromium-headless-shell
# Each package has the name of its program. Fails when a program is missing afterwards, and says which one.
set -euo pipefail

has() { command -v "$1" > /dev/null; }
# One at a time: apt-get fails while another one runs.
exec 9> "${TMPDIR:-/tmp}/palimpsest-apt.lock"
flock 9
missing=()
for program in "$@"; do has "$program" || missing+=("$program"); done
if [ ${#missing[@]} -gt 0 ]; then
  echo "install: ${missing[*]}: not there; trying apt-get install"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}"; } 9>&- || true
fi
for program in "$@"; do
  has "$program" || { echo "install: $program is missing and could not be installed" >&2; exit 1; }
done
