#!/usr/bin/env bash
# Tests the inspector in a real browser: .ci/browser.sh. If Chromium is missing, installs it from the system's packages, and
# fails if that is not possible. CHROMIUM names another one.
set -euo pipefail

browser=${CHROMIUM:-/usr/bin/chromium-headless-shell}
if [ ! -x "$browser" ]; then
  echo "browser: $browser is missing; trying apt-get install -y chromium-headless-shell"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q chromium-headless-shell; } || true
fi
[ -x "$browser" ] || { echo "browser: $browser is missing and could not be installed: the inspector was not tried in a browser" >&2; exit 1; }
"$browser" --version
exec npm run test:browser -- "$@"
