#!/usr/bin/env bash
# Runs on the newer Node versions too. Without arguments: the whole test suite on each. With --short: imports the package
# and takes one turn on each. The programs come from the npm package `node`, pinned here and kept in .cache/nodes.
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

home=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-node.XXXXXX")
trap 'rm -rf "$home" || true' EXIT
node scripts/build.mjs
for version in "${versions[@]}"; do
  pin=${pins[$version]:-} && [ -n "$pin" ] || die "no pin for Node $version in scripts/node-matrix.sh"
  place="$PWD/.cache/nodes/$pin"
  if [ ! -x "$place/node_modules/.bin/node" ]; then
    rm -rf "$place"
    mkdir -p "$place"
    # Its install script fetches the platform's program from the same registry, so it must be allowed to run.
    echo '{ "private": true, "allowScripts": { "node": true } }' > "$place/package.json"
    # Not by --prefix, which would also move npm's global configuration, with the certificates that a site may need.
    # Tried twice: a registry that stumbles once is no fault of the tree.
    install() { (cd "$place" && npm install --no-audit --no-fund "node@$pin" > install.log 2>&1); }
    install || install || { cat "$place/install.log" >&2; die "node@$pin could not be installed"; }
  fi
  program="$place/node_modules/.bin/node"
  [ "$("$program" --version)" = "v$pin" ] || die "$program is $("$program" --version), not v$pin"
  echo "node-matrix: $("$program" --version), $mode"
  # In a shell of its own: the next installation is npm's own Node's, with its global configuration.
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
  )
done
