#!/usr/bin/env bash
# Letta's official clients against the server: .ci/letta.sh, or .ci/postgres.sh .ci/letta.sh
# Starts the built program with a scripted model, on a new data folder or on the server of TEST_DATABASE_URL, with the
# sandbox for Python tools on, and runs the tests of test/letta/ by both clients. Any failure here fails the command.
set -euo pipefail

client="letta-client==1.12.1" # the version of @letta-ai/letta-client in package.json
root=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "letta: $*" >&2; exit 1; }

place=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-letta.XXXXXX")
pids=()
stop() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true
  wait
  rm -rf "$place"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "letta: installing $client"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-warn-conflicts --target "$place/python" "$client" pytest==9.2.0 \
  || die "pip could not install $client"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
model_port=$(free_port)
port=$(free_port)
node "$root/test/letta/scripted-model.mjs" "$model_port" &
pids+=($!)

database=()
[ -z "${TEST_DATABASE_URL:-}" ] || database=(--database-url "$TEST_DATABASE_URL")
HOME="$place" OPENAI_API_KEY=none node "$root/dist/program/palimpsest.js" serve --port "$port" --data-dir "$place/data" \
  --model openai/gpt-4o-mini --base-url "http://127.0.0.1:$model_port/v1" --sandbox namespaces \
  --requests-per-minute 1000000 --quiet "${database[@]}" > "$place/server.log" 2>&1 &
pids+=($!)
for _ in $(seq 150); do
  [ -s "$place/data/server-key" ] && break
  sleep 0.2
done
[ -s "$place/data/server-key" ] || { cat "$place/server.log" >&2; die "the server did not start"; }

export LETTA_BASE_URL="http://127.0.0.1:$port" LETTA_API_KEY
LETTA_API_KEY=$(cat "$place/data/server-key")
status=0
echo "letta: the Python client"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$place/python" python3 -m pytest --quiet -W ignore::DeprecationWarning -p no:cacheprovider "$root/test/letta" || status=1
echo "letta: the TypeScript client"
node "$root/test/letta/typescript.mjs" || status=1
[ $status = 0 ] || { echo "letta: the end of the server's log:" >&2; tail -n 30 "$place/server.log" >&2; }
exit $status
