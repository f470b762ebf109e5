// Compiles the trials of test/crash/, test/gguf/, test/race/ and test/reembed/, with the sources that they try, and runs one:
// its name comes first, the other arguments are passed on. Without a name it compiles alone, for trials that then run beside
// each other.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [name, ...rest] = process.argv.slice(2);
const steps = [
  ["scripts/build.mjs"],
  ["node_modules/typescript/lib/tsc.js", "-p", "tsconfig.trials.json"],
  ...(name === undefined ? [] : [[`.cache/trials/test/${name}/main.js`, ...rest]]),
];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
