// Measures start times: of the process, the library, and the first and a later start of the store.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packageRoot } from "../src/base/package-root.ts";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";

const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const library = path.join(packageRoot(), "dist", "library", "index.js");

export async function benchStart(): Promise<readonly Row[]> {
  const run = (args: readonly string[]) => async () => {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
  };
  const importing = (name: string) => run(["--input-type=module", "-e", `await import(${JSON.stringify(name)})`]);
  const [node = [], help = [], openai = [], imported = []] = await alternate(
    [run(["-e", "0"]), run([program, "--help"]), importing("openai"), importing(library)],
    { rounds: 15, warmups: 2 },
  );
  const floor = quantile(node, 0.5);
  const overFloor = (times: readonly number[]) => times.map((ms) => ms - floor);
  return [
    rowOf("node -e 0 (floor)", node),
    rowOf("palimpsest --help", help, { ratio: quantile(help, 0.5) / floor }),
    rowOf("import openai, less the floor", overFloor(openai)),
    rowOf("import palimpsest, less the floor", overFloor(imported), {
      ratio: quantile(overFloor(imported), 0.5) / quantile(overFloor(openai), 0.5),
    }),
    ...(await storeStarts()),
  ];
}

async function storeStarts(): Promise<readonly Row[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
    const start = async (): Promise<void> => (await createRuntime({ dataDir: folder, embedder: null })).close();
    const [first = []] = await alternate([start], { rounds: 1, warmups: 0 });
    const [second = []] = await alternate([start], { rounds: 1, warmups: 0 });
    cold.push(...first);
    warm.push(...second);
    rmSync(folder, { recursive: true, force: true });
  }
  return [rowOf("embedded store: first open and close", cold), rowOf("embedded store: later open and close", warm)];
}
