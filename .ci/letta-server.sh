#!/usr/bin/env bash
# Runs a command beside the built program as a server, with a scripted model: .ci/letta-server.sh COMMAND …
# The server has a new data folder, or the server of TEST_DATABASE_URL, and the sandbox for Python tools on. The command gets
# LETTA_BASE_URL, LETTA_API_KEY, the URL of an MCP server in MCP_URL, and a folder of its own in LETTA_SERVER_FOLDER. Any failure
# here fails the command.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "letta-server: $*" >&2; exit 1; }
[ $# -gt 0 ] || die "say which command to run beside the server"

LETTA_SERVER_FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-letta.XXXXXX")
pids=()
stop() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true
  wait
  rm -rf "$LETTA_SERVER_FOLDER"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
model_port=$(free_port)
port=$(free_port)
node "$root/test/letta/scripted-model.mjs" "$model_port" &
pids+=($!)
mcp_port=$(free_port)
node "$root/test/letta/mcp-server.mjs" "$mcp_port" &
pids+=($!)

database=()
[ -z "${TEST_DATABASE_URL:-}" ] || database=(--database-url "$TEST_DATABASE_URL")
HOME="$LETTA_SERVER_FOLDER" OPENAI_API_KEY=none PALIMPSEST_USER_MCP_SERVERS=network node "$root/dist/program/palimpsest.js" serve --port "$port" --data-dir "$LETTA_SERVER_FOLDER/data" \
  --model openai/gpt-4o-mini --base-url "http://127.0.0.1:$model_port/v1" --sandbox namespaces \
  --requests-per-minute 1000000 --quiet "${database[@]}" > "$LETTA_SERVER_FOLDER/server.log" 2>&1 &
pids+=($!)
for _ in $(seq 150); do
  [ -s "$LETTA_SERVER_FOLDER/data/server-key" ] && break
  sleep 0.2
done
[ -s "$LETTA_SERVER_FOLDER/data/server-key" ] || { cat "$LETTA_SERVER_FOLDER/server.log" >&2; die "the server did not start"; }

LETTA_API_KEY=$(cat "$LETTA_SERVER_FOLDER/data/server-key")
export LETTA_SERVER_FOLDER LETTA_API_KEY LETTA_BASE_URL="http://127.0.0.1:$port" MCP_URL="http://127.0.0.1:$mcp_port/mcp"
status=0
"$@" || status=$?
[ $status = 0 ] || { echo "letta-server: the end of the server's log:" >&2; tail -n 30 "$LETTA_SERVER_FOLDER/server.log" >&2; }
exit $status
