// Compiles bench/ with the sources that it measures, and runs bench/main.ts with the given arguments.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const steps = [
  ["scripts/build.mjs"],
  ["scripts/compile.mjs", ".cache/bench", "bench", "src", "tools", "test/support"],
  [".cache/bench/bench/main.js", ...process.argv.slice(2)],
];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
