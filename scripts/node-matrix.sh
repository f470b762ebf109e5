#!/usr/bin/env bash
# Tests the newer Node versions. Without arguments: runs the whole test suite on each. With --short: imports the package and
# runs one turn on each, and the tests of the AI SDK with its version 7, which needs Node 22. The programs come from the npm
# package `node`; all versions are pinned, and kept in .cache/nodes.
set -euo pipefail

cd "$(dirname "$0")/.."
mode=full
if [ "${1:-}" = --short ]; then
  mode=short
  shift
fi
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(22 24)
die() { echo "node-matrix: $*" >&2; exit 1; }

declare -A pins=([22]=22.23.3 [24]=24.21.0)
ai_pin=7.0.173

# Installs a package in a folder of its own. Its install script may download the platform's program from the same registry.
# Not with --prefix, which would also move npm's global configuration, with certificates that may be needed.
# Tried twice, because a single failure of the registry is not a fault of the project.
installed() {
  local place=$1 package=$2
  [ ! -e "$place/installed" ] || return 0
  rm -rf "$place"
  mkdir -p "$place"
  echo '{ "private": true, "allowScripts": { "node": true } }' > "$place/package.json"
  install() { (cd "$place" && npm install --no-audit --no-fund "$package" > install.log 2>&1); }
  install || install || { cat "$place/install.log" >&2; die "$package could not be installed"; }
  touch "$place/installed"
}

home=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-node.XXXXXX")
trap 'rm -rf "$home" || true' EXIT
node scripts/build.mjs
ai_place="$PWD/.cache/nodes/ai-$ai_pin"
installed "$ai_place" "ai@$ai_pin"
export AI_SDK_7="$ai_place/node_modules/ai/dist/index.js"
for version in "${versions[@]}"; do
  pin=${pins[$version]:-} && [ -n "$pin" ] || die "no pin for Node $version in scripts/node-matrix.sh"
  place="$PWD/.cache/nodes/$pin"
  installed "$place" "node@$pin"
  program="$place/node_modules/.bin/node"
  [ "$("$program" --version)" = "v$pin" ] || die "$program is $("$program" --version), not v$pin"
  echo "node-matrix: $("$program" --version), $mode"
  # In a subshell: the next installation uses npm's own Node, with its global configuration.
  (
    export PATH="$place/node_modules/.bin:$PATH"
    if [ "$mode" = full ]; then
      "$program" scripts/test.mjs embedded
      exit
    fi
    "$program" --input-type=module --eval 'const names = Object.keys(await import("palimpsest")); if (names.length === 0) process.exit(1);'
    "$program" --input-type=module --eval 'const names = Object.keys(await import("palimpsest/testing")); if (names.length === 0) process.exit(1);'
    reply=$(HOME="$home" XDG_DATA_HOME="$home/$version" PALIMPSEST_DATA_DIR="$home/$version" "$program" dist/program/palimpsest.js -p "hello" --model demo)
    [ -n "$reply" ] || die "no reply on Node $version"
    echo "node-matrix: $version answers: $(echo "$reply" | head -n 1)"
    "$program" scripts/test.mjs "ai-sdk-7-node-$version" test/unit/ui-stream test/integration/server-chat
  )
done
