#!/usr/bin/env bash
# Tests the inspector in a real browser: .ci/browser.sh. Installs Chromium if it is missing, and fails if that is not possible.
# CHROMIUM names another one.
set -euo pipefail

[ -n "${CHROMIUM:-}" ] || "$(dirname "$0")/install.sh" chromium-headless-shell
"${CHROMIUM:-chromium-headless-shell}" --version
exec npm run test:browser -- "$@"
