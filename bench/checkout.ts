// Measures `memory checkout` of 2,000 passages into a new folder, and a commit without an edit, beside a floor: writing the same
// files, and a git history with one commit of them. Then a commit of one edit, beside the same after 1,000 changes of memory.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import { checkOut, commit } from "../src/surfaces/cli/checkout/checkout.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";

const passages = 2000;
const changes = 1000;
const changedFiles = 20;

export async function benchCheckout(): Promise<readonly Row[]> {
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  const root = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const place = databaseUrl === undefined ? { dataDir: path.join(root, "data") } : { databaseUrl };
  const runtime = await createRuntime({ ...place, model: "demo", embedder: null });
  try {
    const agent = await runtime.agents.create({ name: `bench-checkout-${Date.now()}` });
    const texts = Array.from({ length: passages }, (_, at) => ({
      text: `Passage ${at}: the harbour keeps a list of ${at} boats, their owners and the days on which they sail.`,
    }));
    await runtime.archival.import(agent.name, texts);
    const files = await runtime.memoryFiles.list(agent.id);
    let number = 0;
    const folderOf = (name: string): string => path.join(root, `${name}-${(number += 1)}`);
    let last = "";
    const checkout = () => checkOut(runtime.memoryFiles, (last = folderOf("checkout")), agent);
    const again = () => commit(runtime.memoryFiles, last, { deletes: false });
    const floor = async (): Promise<void> => {
      const folder = folderOf("floor");
      mkdirSync(path.join(folder, "archive"), { recursive: true });
      for (const file of files) writeFileSync(path.join(folder, file.path), file.text);
      const git = (...args: readonly string[]) =>
        execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@b", ...args], { stdio: "ignore" });
      git("init", "--quiet");
      git("add", ".");
      git("commit", "--quiet", "--message", "all");
    };
    const [whole = [], empty = [], bare = []] = await alternate([checkout, again, floor], { rounds: 5, warmups: 1 });
    const edit = async (): Promise<void> => {
      writeFileSync(path.join(last, "notes.txt"), `Edit ${(number += 1)}`);
      await again();
    };
    const change = async (): Promise<void> => {
      const versions = new Map<string, string | null>();
      for (let at = 0; at < changes; at += 1) {
        const name = `changed/${at % changedFiles}.txt`;
        const next = { text: `Change ${at}. `.repeat(100), version: versions.get(name) ?? null };
        versions.set(name, (await runtime.memoryFiles.write(agent.id, name, next)).version);
      }
      await checkOut(runtime.memoryFiles, last, agent);
    };
    const [few = []] = await alternate([edit], { rounds: 5, warmups: 1 });
    await change();
    const [many = []] = await alternate([edit], { rounds: 5, warmups: 1 });
    const ratio = (times: readonly number[]): number => quantile(times, 0.5) / quantile(bare, 0.5);
    return [
      rowOf("checkout of 2,000 passages", whole, { ratio: ratio(whole) }),
      rowOf("commit without an edit", empty, { ratio: ratio(empty) }),
      rowOf("floor: the files, and one commit", bare),
      rowOf("floor: commit of one edit", few),
      rowOf("commit of one edit after 1,000 changes", many, { ratio: quantile(many, 0.5) / quantile(few, 0.5) }),
    ];
  } finally {
    await runtime.close();
    rmSync(root, { recursive: true, force: true });
  }
}
