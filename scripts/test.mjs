// Builds, then runs jest on the given engine; writes the results to .cache/jest/, where scripts/count-tests.mjs reads them.
// Invariant: tests that open a database through test/support/database.ts run on both engines; all other tests run only with
// the embedded one. Arguments select files by path, on either engine. `s3`: tests of objects, on the server of TEST_S3_URL,
// with either engine; `postgres` also uses that server if it is set. Otherwise tests of objects use a fake server.
// `partitions`: as `postgres`, with every table partitioned by user in four parts.
// `pooler`: as `postgres`, through the transaction pooler of TEST_POOLER_URL.
// `pty`: the chat in a real terminal (test/pty/), which needs tmux and is not part of the other runs.
// `browser`: the inspector in a real browser (test/browser/), which needs Chromium and is not part of the other runs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [engine, ...rest] = process.argv.slice(2);
const environment = { ...process.env };

const onServer = ["postgres", "partitions", "pooler"].includes(engine);
if (onServer && !environment.TEST_DATABASE_URL) {
  process.stderr.write(
    `test:${engine}: set TEST_DATABASE_URL to a server with pgvector, as a role that may create databases\n`,
  );
  process.exit(2);
}
if (engine === "pooler" && !environment.TEST_POOLER_URL) {
  process.stderr.write(
    "test:pooler: set TEST_POOLER_URL to a transaction pooler before the server of TEST_DATABASE_URL\n",
  );
  process.exit(2);
}
if (engine === "s3" && !environment.TEST_S3_URL) {
  process.stderr.write(
    'test:s3: set TEST_S3_URL to a server that speaks S3 and takes the key "id" with the secret "secret"\n',
  );
  process.exit(2);
}
// `npm test` uses no server, even if one is configured.
if (engine === "embedded") {
  delete environment.TEST_DATABASE_URL;
  delete environment.TEST_S3_URL;
}

if (!runNode([join(root, "scripts", "build.mjs")])) process.exit();
const results = join(root, ".cache", "jest", `${engine}.json`);
mkdirSync(dirname(results), { recursive: true });
rmSync(results, { force: true });
if (engine !== "pooler") delete environment.TEST_POOLER_URL;
if (engine === "partitions") environment.TEST_PARTITIONS = "4";
const isWhole = onServer && rest.every((argument) => argument.startsWith("-"));
const selections = {};
if (isWhole) selections[engine] = ["--findRelatedTests", join("test", "support", "database.ts")];
// Last, because such an option takes all following arguments.
for (const folder of ["pty", "browser"])
  selections[folder] = [
    "--testTimeout",
    "240000",
    "--roots",
    join(root, "test", folder),
    "--testPathIgnorePatterns",
    "node_modules",
  ];
const selection = selections[engine] ?? [];
const folder = newFolderInMemory();
if (folder !== undefined) environment.TMPDIR = folder;
// Ctrl+C reaches jest too; the folder is removed after jest has ended.
process.on("SIGINT", () => undefined);
try {
  runNode([
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    // Of agents with an empty persona, which most tests create. The tests that expect it read the events of the process.
    "--disable-warning=PalimpsestWarning",
    // V8 optimizes a function of the engine after fifty times as many calls as by default. A fifth of the CPU time of the
    // store's tests went into optimizing; the longest tests take as long as before (PGlite 0.5.14, Node 20).
    "--wasm-tiering-budget=100000000",
    join(root, "node_modules", "jest", "bin", "jest.js"),
    // The server works beside the tests.
    ...(onServer ? ["--maxWorkers", "2"] : []),
    "--json",
    `--outputFile=${results}`,
    ...rest,
    ...selection,
  ]);
} finally {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** In memory if possible: each test database is a folder of 40 MB, and writing them to a disk took a fifth of the CPU time. */
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
