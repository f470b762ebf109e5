// Runs every gate that package.json names `check:…`, even after a failure, and reports at the end which ones failed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const gates = Object.keys(scripts).filter((name) => name.startsWith("check:"));

const red = gates.filter((gate) => {
  const started = Date.now();
  // The shell finds the tools in node_modules/.bin, as with npm.
  const path = `${join(root, "node_modules", ".bin")}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(scripts[gate], {
    cwd: root,
    shell: true,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${status === 0 ? "ok " : "RED"} ${gate.padEnd(20)} ${seconds} s\n`);
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return status !== 0;
});

const verdict =
  red.length === 0
    ? `all ${gates.length} gates are green`
    : `${red.length} of ${gates.length} gates are red: ${red.join(", ")}`;
process.stdout.write(`check: ${verdict}\n`);
// Not process.exit(): pending output to a pipe would be lost.
process.exitCode = red.length === 0 ? 0 : 1;
