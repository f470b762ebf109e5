#!/usr/bin/env bash
# Runs the client code of docs/from-letta.md for the server of LETTA_BASE_URL, and imports what it has written. Each client must
# write the agent with its passages, and talk with it. Started by .ci/letta.sh.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
palimpsest() { PALIMPSEST_MODEL=demo HOME="$LETTA_SERVER_FOLDER/moved" node "$root/dist/program/palimpsest.js" "$@"; }
die() { echo "moving: $*" >&2; exit 1; }

export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$LETTA_SERVER_FOLDER/python"
python3 - << 'CODE'
from letta_client import Letta
client = Letta()
scout = client.agents.create(name="scout", model="openai/gpt-4o-mini", embedding="local/use-lite", memory_blocks=[{"label": "human", "value": "Name: Ada"}])
for number in range(120):
    client.agents.passages.create(scout.id, text=f"Passage {number}.", tags=["kept"])
CODE
for client in "python3 moving.py" "node moving.mjs"; do
  folder="$LETTA_SERVER_FOLDER/moving"
  rm -rf "$folder" "$LETTA_SERVER_FOLDER/moved"
  mkdir -p "$folder/.palimpsest" "$LETTA_SERVER_FOLDER/moved"
  cd "$folder"
  printf '%s' "$LETTA_API_KEY" > .palimpsest/server-key
  # A module finds its packages from its own folder.
  ln -s "$root/node_modules" node_modules
  for file in moving.py moving.mjs; do sed "s#http://127.0.0.1:8283#$LETTA_BASE_URL#" "$root/test/letta/$file" > "$file"; done
  HOME="$folder" $client | grep -qx hi || die "$client: the agent did not answer"
  palimpsest agents import scout.af > /dev/null
  palimpsest archival import scout.jsonl -a scout > /dev/null
  [ "$(palimpsest archival list -a scout --json | grep -o 'Passage [0-9]*\.' | sort -u | wc -l)" -gt 0 ] || die "$client: no passage was imported"
  [ "$(grep -c . scout.jsonl)" = 120 ] || die "$client: $(grep -c . scout.jsonl) of 120 passages were exported"
  palimpsest memory show -a scout | grep -q "Name: Ada" || die "$client: core memory was not imported"
  echo "moving: $client: 1 agent, 120 passages"
done
