#!/usr/bin/env bash
# Runs a command with PgBouncer in transaction mode before the server of .ci/postgres.sh:
# .ci/postgres.sh .ci/pgbouncer.sh npm run test:pooler
# PgBouncer comes from the system's package (apt-get download, unpacked without installing it), unless it is installed. It
# listens on a free loopback port and is removed when the command ends. Any failure here fails the command.
set -euo pipefail

die() { echo "pgbouncer: $*" >&2; exit 1; }
[ $# -gt 0 ] || die "say which command to run behind the pooler"
[ -n "${TEST_DATABASE_URL:-}" ] || die "run it by .ci/postgres.sh"

place=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-pgbouncer.XXXXXX")
chmod 755 "$place"
pooler=""
stop() {
  if [ -n "$pooler" ]; then
    kill "$pooler" 2> /dev/null || true
    wait "$pooler" 2> /dev/null || true
  fi
  rm -rf "$place"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

program=$(command -v pgbouncer || true)
if [ -z "$program" ]; then
  mkdir "$place/packages"
  fetch() { (cd "$place/packages" && apt-get download -q pgbouncer libc-ares2) > "$place/apt.log" 2>&1; }
  fetch || { apt-get update -q > /dev/null 2>&1 && fetch; } || { cat "$place/apt.log" >&2; die "the packages could not be downloaded"; }
  for package in "$place"/packages/*.deb; do dpkg-deb -x "$package" "$place/root"; done
  program="$place/root/usr/sbin/pgbouncer"
  library=$(dirname "$(find "$place/root" -name 'libcares.so.2' | head -n 1)")
  export LD_LIBRARY_PATH="$library"
fi

read -r port user password host server_port < <(python3 -c '
import os, socket
from urllib.parse import urlparse
free = socket.socket(); free.bind(("127.0.0.1", 0))
url = urlparse(os.environ["TEST_DATABASE_URL"])
print(free.getsockname()[1], url.username, url.password, url.hostname, url.port)')
(umask 077; printf '"%s" "%s"\n' "$user" "$password" > "$place/users.txt")
# Few connections, so that transactions of one client really change between them.
cat > "$place/pgbouncer.ini" <<INI
[databases]
* = host=$host port=$server_port
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $place/users.txt
pool_mode = transaction
default_pool_size = 5
max_client_conn = 500
server_lifetime = 3600
INI
unprivileged=()
if [ "$(id -u)" = 0 ]; then
  unprivileged=(setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups --inh-caps=-all)
  chown nobody "$place/users.txt" "$place/pgbouncer.ini"
fi
"${unprivileged[@]}" "$program" --version | head -n 1
"${unprivileged[@]}" "$program" --quiet "$place/pgbouncer.ini" > "$place/pgbouncer.log" 2>&1 &
pooler=$!
unset LD_LIBRARY_PATH

export TEST_POOLER_URL="postgres://$user:$password@127.0.0.1:$port/postgres"
node --input-type=module --eval '
  import postgres from "postgres";
  const began = Date.now();
  for (;;) {
    const sql = postgres(process.env.TEST_POOLER_URL, { max: 1, prepare: false, onnotice: () => {} });
    try { await sql`select 1`; await sql.end(); break; } catch (error) {
      await sql.end({ timeout: 0 });
      if (Date.now() - began > 20_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
' || { cat "$place/pgbouncer.log" >&2; die "it did not start"; }

status=0
"$@" || status=$?
[ "$status" = 0 ] || tail -n 20 "$place/pgbouncer.log" >&2
exit "$status"
