#!/usr/bin/env bash
# Letta's official clients against the server: .ci/letta.sh, or .ci/postgres.sh .ci/letta.sh
# Runs the tests of test/letta/ by both clients beside the server of .ci/letta-server.sh. Any failure here fails the command.
set -euo pipefail

client="letta-client==1.12.1" # the version of @letta-ai/letta-client in package.json
with_groups="1.6.4"            # a version of both clients that has groups: no newer one is on both registries
root=$(cd "$(dirname "$0")/.." && pwd)
[ -n "${LETTA_SERVER_FOLDER:-}" ] || exec "$root/.ci/letta-server.sh" "$0"

echo "letta: installing $client"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-warn-conflicts --target "$LETTA_SERVER_FOLDER/python" "$client" pytest==9.2.0 \
  || { echo "letta: pip could not install $client" >&2; exit 1; }

python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-warn-conflicts --target "$LETTA_SERVER_FOLDER/groups" "letta-client==$with_groups" \
  || { echo "letta: pip could not install letta-client $with_groups" >&2; exit 1; }
# In its folder: with --prefix, npm would not read the machine's settings.
(cd "$LETTA_SERVER_FOLDER/groups" && echo '{}' > package.json && npm install --silent --no-audit --no-fund "@letta-ai/letta-client@$with_groups") \
  || { echo "letta: npm could not install @letta-ai/letta-client $with_groups" >&2; exit 1; }

status=0
echo "letta: the parameters that the Python client declares"
parameters() { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$LETTA_SERVER_FOLDER/python" python3 "$root/test/letta/parameters.py"; }
# As values, because the formatter of the project writes the file.
diff <(python3 -m json.tool --sort-keys "$root/test/letta/parameters.json") <(parameters | python3 -m json.tool --sort-keys) || status=1
echo "letta: the Python client"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$LETTA_SERVER_FOLDER/python" python3 -m pytest --quiet -W ignore::DeprecationWarning -p no:cacheprovider --ignore="$root/test/letta/groups" "$root/test/letta" || status=1
echo "letta: the TypeScript client"
node "$root/test/letta/typescript.mjs" || status=1
echo "letta: groups, by clients $with_groups"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$LETTA_SERVER_FOLDER/groups:$LETTA_SERVER_FOLDER/python:$root/test/letta" python3 -m pytest --quiet -W ignore::DeprecationWarning -p no:cacheprovider "$root/test/letta/groups" || status=1
node "$root/test/letta/groups.mjs" "$LETTA_SERVER_FOLDER/groups" || status=1
echo "letta: agents that move by both clients, into a store of their own"
"$root/test/letta/moving.sh" || status=1
exit $status
