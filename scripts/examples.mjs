// Runs every examples/*.ts like a user: compiled against dist/ through the package's name, with an empty home folder and
// without keys. Arguments select examples by name: npm run examples -- custom-memory
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const compiled = join(root, ".cache", "examples");
const timeLimitMs = 120_000;

const wanted = process.argv.slice(2);
const all = readdirSync(join(root, "examples"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => basename(file, ".ts"))
  .sort();
const unknown = wanted.filter((name) => !all.includes(name));
const names = wanted.length > 0 ? wanted : all;
if (unknown.length > 0 || names.length === 0) {
  process.stderr.write(`examples: no such example: ${unknown.join(", ") || "examples/ is empty"}\n`);
  process.exit(1);
}

rmSync(compiled, { recursive: true, force: true });
for (const step of [
  ["scripts/build.mjs", "--declarations"],
  ["node_modules/typescript/lib/tsc.js", "-p", "tsconfig.examples.json"],
]) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

const failed = names.filter((name) => !succeeds(name));
process.stderr.write(`examples: ${names.length - failed.length} of ${names.length} ran to their end\n`);
if (failed.length > 0) process.exit(1);

function succeeds(name) {
  const home = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
  const started = Date.now();
  const { status, signal, error, stdout } = spawnSync(process.execPath, [join(compiled, `${name}.js`)], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      PALIMPSEST_DATA_DIR: join(home, "data"),
    },
    input: "",
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    timeout: timeLimitMs,
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const outcome = status === 0 ? "ok" : `FAILED (${error?.message ?? signal ?? `exit code ${status}`})`;
  process.stderr.write(`examples: ${name}: ${outcome}, ${seconds} s\n`);
  if (status !== 0 || wanted.length > 0) process.stdout.write(stdout ?? "");
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  return status === 0;
}
