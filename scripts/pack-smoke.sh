#!/usr/bin/env bash
# Packs the package, installs the tarball in an empty folder, and uses it like a new user: runs the command, a turn without
# a key, and a TypeScript program that is compiled against its types.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-pack.XXXXXX")
trap 'rm -rf "$place" || true' EXIT
die() { echo "pack-smoke: $*" >&2; exit 1; }

cd "$root"
node scripts/build.mjs --declarations
tarball=$(npm pack --silent --ignore-scripts --pack-destination "$place")
version=$(node -p 'require("./package.json").version')
compiler="typescript@$(node -p 'require("./package.json").devDependencies.typescript')"
node_types="@types/node@$(node -p 'require("./package.json").devDependencies["@types/node"]')"
echo "pack-smoke: $tarball, $(du -h "$place/$tarball" | cut -f1), $(tar tzf "$place/$tarball" | wc -l) files"
# The tarball must not contain files that only this repository needs.
if tar tzf "$place/$tarball" | grep -E '^package/(test|bench|examples|scripts|\.ci|node_modules)/|_snapshot\.json$|\.tsbuildinfo$|/\.stamp-'; then
  die "these files do not belong in the package: see \"files\" in package.json"
fi

mkdir "$place/app" "$place/home"
cd "$place/app"
unset "${!PALIMPSEST_@}"
export HOME="$place/home" XDG_DATA_HOME="$place/home/data" PALIMPSEST_DATA_DIR="$place/home/data"
unset DATABASE_URL TEST_DATABASE_URL ANTHROPIC_API_KEY OPENAI_API_KEY
echo '{ "name": "app", "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund "$place/$tarball"
packages=$(npm ls --all --parseable | tail -n +2 | sort -u | wc -l)
echo "pack-smoke: $packages packages, $(du -sm node_modules | cut -f1) MB"
[ "$packages" -lt 110 ] || die "an installation has $packages packages: fewer than 110 are the bound"
npm install --silent --no-audit --no-fund --save-dev "$compiler" "$node_types"

said=$(npx --no-install palimpsest --version)
case "$said" in *"$version"*) echo "pack-smoke: --version says $said" ;; *) die "--version says \"$said\", not $version" ;; esac

reply=$(npx --no-install palimpsest -p "hello" --model demo)
[ -n "$reply" ] || die '-p "hello" --model demo answered nothing'
echo "pack-smoke: -p hello --model demo answers: $(echo "$reply" | head -n 1)"

cp "$root/scripts/pack-smoke-consumer.ts" consumer.ts
# Imports every entry of the package, with the compiler and with Node.
node --input-type=module > entries.ts <<'JS'
import { readFileSync } from "node:fs";
const { exports } = JSON.parse(readFileSync("node_modules/palimpsest/package.json", "utf8"));
const entries = Object.keys(exports).filter((name) => name !== "./package.json");
for (const [at, name] of entries.entries()) console.log(`export * as entry${at} from "palimpsest${name.slice(1)}";`);
JS
cat > tsconfig.json <<'JSON'
{
  "compilerOptions": {
    "module": "NodeNext", "target": "ES2022", "lib": ["ES2022", "ESNext.Disposable"], "types": ["node"],
    "strict": true, "exactOptionalPropertyTypes": true, "skipLibCheck": false, "outDir": "out"
  },
  "include": ["consumer.ts", "entries.ts"]
}
JSON
npx --no-install tsc -p .
node out/consumer.js
node out/entries.js
echo "pack-smoke: a strict TypeScript consumer of every entry compiles and runs"
