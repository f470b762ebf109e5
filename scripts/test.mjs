// Builds, then runs jest on the engine asked for; keeps its results in .cache/jest/ for whoever counts them.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
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
// `npm test` means the embedded engine, also where a server happens to be configured.
if (engine === "embedded") delete environment.TEST_DATABASE_URL;

runNode([join(root, "scripts", "build.mjs")]);
const results = join(root, ".cache", "jest", `${engine}.json`);
mkdirSync(dirname(results), { recursive: true });
rmSync(results, { force: true });
runNode([
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  join(root, "node_modules", "jest", "bin", "jest.js"),
  "--json",
  `--outputFile=${results}`,
  ...rest,
]);

function runNode(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: environment });
  if (status !== 0) process.exit(status ?? 1);
}
