#!/usr/bin/env bash
# Tests the chat in a real terminal: .ci/pty.sh. Installs tmux if it is missing, and fails if that is not possible.
set -euo pipefail

"$(dirname "$0")/install.sh" tmux
tmux -V
exec npm run test:pty -- "$@"
