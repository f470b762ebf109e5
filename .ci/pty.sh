#!/usr/bin/env bash
# Tests the chat in a real terminal, and completions in three shells: .ci/pty.sh. Installs what is missing, and fails if that is
# not possible.
set -euo pipefail

"$(dirname "$0")/install.sh" tmux zsh fish
tmux -V
exec npm run test:pty -- "$@"
