// Compiles the trials of test/crash/, test/gguf/, test/mcp/, test/race/ and test/reembed/ with the sources, and runs one of them: the
// first argument is its name, and the other arguments are passed to it. Without a name, it only compiles, for trials that
// then run concurrently.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [name, ...rest] = process.argv.slice(2);
const steps = [
  ["scripts/build.mjs"],
  ["scripts/compile.mjs", ".cache/trials", "src", "tools", "test"],
  ...(name === undefined ? [] : [[`.cache/trials/test/${name}/main.js`, ...rest]]),
];
// Kills and races start many processes with an engine, each for a few seconds.
const isShortLived = ["crash", "race"].includes(name);
const preload = `--require ${JSON.stringify(join(root, "test", "support", "baseline-wasm.cjs"))}`;
const env = isShortLived ? { ...process.env, NODE_OPTIONS: preload } : process.env;
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
