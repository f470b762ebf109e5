// Compiles test/crash/ with the sources that it kills and runs it; arguments are passed on.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const steps = [
  ["scripts/build.mjs"],
  ["node_modules/typescript/lib/tsc.js", "-p", "tsconfig.crash.json"],
  [".cache/crash/test/crash/main.js", ...process.argv.slice(2)],
];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
