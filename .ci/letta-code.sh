#!/usr/bin/env bash
# Letta Code, the maintained program for agents of Letta, against the server: .ci/letta-code.sh, or .ci/postgres.sh .ci/letta-code.sh
# Run on demand, because it needs Node 22, which is installed for the run. Beside the server of .ci/letta-server.sh, Letta Code
# creates an agent and talks to it, runs one of its own tools, and finds the agent again in a new process.
set -euo pipefail

code="@letta-ai/letta-code@0.32.18"
node22="node@22.22.2"
root=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "letta-code: $*" >&2; exit 1; }
[ -n "${LETTA_SERVER_FOLDER:-}" ] || exec "$root/.ci/letta-server.sh" "$0"

echo "letta-code: installing $code and $node22"
mkdir "$LETTA_SERVER_FOLDER/code" "$LETTA_SERVER_FOLDER/work"
# Packed and unpacked: its dependencies are in the bundle but for ws, and one that it names cannot be installed.
(cd "$LETTA_SERVER_FOLDER" && npm pack --silent "$code" > /dev/null && tar xzf letta-ai-letta-code-*.tgz) || die "$code cannot be had"
npm install --silent --no-audit --no-fund --prefix "$LETTA_SERVER_FOLDER/code" "$node22" ws@8.20.0 > /dev/null || die "$node22 cannot be installed"
mv "$LETTA_SERVER_FOLDER/code/node_modules" "$LETTA_SERVER_FOLDER/package/node_modules"
node22="$LETTA_SERVER_FOLDER/package/node_modules/node/bin/node"
"$node22" --version > /dev/null || die "Node 22 does not run here"

cd "$LETTA_SERVER_FOLDER/work"
git init --quiet .
export HOME="$LETTA_SERVER_FOLDER/work" DO_NOT_TRACK=1 LETTA_CODE_TELEM=0 DISABLE_AUTOUPDATER=1
PATH=$(dirname "$node22"):$PATH
# letta NAME ARGUMENTS: its answer, as JSON, to NAME.json.
letta() {
  local name=$1
  shift
  timeout 180 "$node22" "$LETTA_SERVER_FOLDER/package/letta.js" --backend api --output-format json "$@" > "$name.json" \
    || { cat "$name.json" >&2; die "$name failed"; }
}
expect() { # expect NAME RESULT
  local result
  result=$("$node22" -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).result' "$1.json")
  [ "$result" = "$2" ] || { cat "$1.json" >&2; die "$1: expected \"$2\", got \"$result\""; }
}

letta first -p "SAY Hello from the server." --new-agent --model openai/gpt-4o-mini
expect first "Hello from the server."
agent=$("$node22" -p 'JSON.parse(require("fs").readFileSync("first.json", "utf8")).agent_id')
echo "letta-code: created $agent and talked to it"

letta tool -p 'CALL exec_command {"cmd":"echo made by the client > proof.txt","description":"write"}' --agent "$agent" --yolo
[ "$(cat proof.txt)" = "made by the client" ] || { cat tool.json >&2; die "the tool did not write its file"; }
echo "letta-code: the agent ran a tool of the client"

letta again -p "SAY Back again." --agent "$agent"
expect again "Back again."
echo "letta-code: a new process found the agent again"
