// Builds, then runs jest on the engine asked for; keeps its results in .cache/jest/ for whoever counts them.
// Invariant: what opens a database by test/support/database.ts runs on both engines; all else is the same on both, and runs
// with the embedded one alone. Paths as arguments choose some, on either engine. `s3`: what keeps objects, on the server of
// TEST_S3_URL, with the engine at hand; `postgres` uses that server where it is set. Else tests of objects have a fake one.
// `pty`: the chat in a real terminal (test/pty/), which needs tmux and is no part of the others.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [engine, ...rest] = process.argv.slice(2);
const environment = { ...process.env };

if (engine === "postgres" && !environment.TEST_DATABASE_URL) {
  process.stderr.write(
    "test:postgres: set TEST_DATABASE_URL to a server with pgvector, as a role that may create databases\n",
  );
  process.exit(2);
}
if (engine === "s3" && !environment.TEST_S3_URL) {
  process.stderr.write(
    'test:s3: set TEST_S3_URL to a server that speaks S3 and takes the key "id" with the secret "secret"\n',
  );
  process.exit(2);
}
// `npm test` needs no server, also where one happens to be configured.
if (engine === "embedded") {
  delete environment.TEST_DATABASE_URL;
  delete environment.TEST_S3_URL;
}

if (!runNode([join(root, "scripts", "build.mjs")])) process.exit();
const results = join(root, ".cache", "jest", `${engine}.json`);
mkdirSync(dirname(results), { recursive: true });
rmSync(results, { force: true });
const isWhole = engine === "postgres" && rest.every((argument) => argument.startsWith("-"));
const selections = { postgres: isWhole ? ["--findRelatedTests", join("test", "support", "database.ts")] : [] };
// Last, as such an option takes all that follows it.
selections.pty = [
  "--testTimeout",
  "90000",
  "--roots",
  join(root, "test", "pty"),
  "--testPathIgnorePatterns",
  "node_modules",
];
const selection = selections[engine] ?? [];
const folder = newFolderInMemory();
if (folder !== undefined) environment.TMPDIR = folder;
// Ctrl+C goes to jest as well; the folder is removed when that has ended.
process.on("SIGINT", () => undefined);
try {
  runNode([
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    join(root, "node_modules", "jest", "bin", "jest.js"),
    "--json",
    `--outputFile=${results}`,
    ...rest,
    ...selection,
  ]);
} finally {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** Each database of a test is a folder of 40 MB: written to a disk, they were a fifth of the CPU time. */
function newFolderInMemory() {
  const memory = "/dev/shm";
  if (environment.TEST_DATABASE_URL || !existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > 6e9 ? mkdtempSync(join(memory, "palimpsest-tests-")) : undefined;
}

function runNode(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: environment });
  if (status !== 0) process.exitCode = status ?? 1;
  return status === 0;
}
