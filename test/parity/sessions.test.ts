// Sessions of a shell: each file in `sessions` has command lines (`$ `) with their standard input (`< `), and what they print and
// exit with, against a real runtime. `id-3` is the third id of a session, `now` a time of today; `store open`: the
// command failed after it had opened the store.
// The files are the specification: write the command lines, run with GOLDEN=write, and review what was added.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInWorld } from "../support/fake-world.ts";
import { commandRuntime, openParity } from "./parity-scene.ts";
import { createMask, wordsOf } from "./surfaces.ts";
import { useScene } from "../support/use-scene.ts";

const folder = fileURLToPath(new URL("sessions", import.meta.url));
const isWriting = process.env["GOLDEN"] === "write";

/** The importance in an explanation, which grows with accesses. They are counted after the search has answered. */
const accessed = /(importance {2}|"identifier":\w+,"importance":)[\d.]+/gu;

const parity = useScene(() => openParity());

interface Step {
  /** Comments and empty lines before the command. */
  readonly before: readonly string[];
  readonly line: string;
  readonly input: readonly string[];
}

/** Returns the command lines of a session, without what they print. */
function stepsIn(text: string): readonly Step[] {
  const steps: Step[] = [];
  let before: string[] = [];
  let input: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("# ")) before.push(line);
    else if (line.startsWith("$ ")) {
      input = [];
      steps.push({ before, line, input });
      before = [];
    } else if (line.startsWith("< ")) input.push(line.slice(2));
  }
  return steps;
}

test.each(readdirSync(folder))("%s", async (name) => {
  const path = join(folder, name);
  const text = readFileSync(path, "utf8");
  const { mask, original } = createMask();
  const lines: string[] = [];
  for (const { before, line, input } of stepsIn(text)) {
    const argv = wordsOf(line.slice(2)).map((word) =>
      word.replace(/id-\d+/gu, original).replaceAll("FOLDER", parity.folder),
    );
    let isOpened = false;
    const run = await runInWorld(argv, {
      input: input
        .map((each) => `${each}\n`)
        .join("")
        .replace(/id-\d+/gu, original),
      async openRuntime({ user = name.replace(".txt", "") }) {
        isOpened = true;
        return commandRuntime(parity.person(user).runtime);
      },
    });
    const printed = mask(`${run.stdout}${run.stderr}`).replaceAll(accessed, "$1…").trimEnd();
    const exit = run.exitCode === 0 ? [] : [`[exit ${run.exitCode}${isOpened ? ", store open" : ""}]`];
    if (lines.length > 0) lines.push("");
    lines.push(...before, line, ...input.map((each) => `< ${each}`), ...(printed === "" ? [] : [printed]), ...exit);
  }
  const session = `${lines.join("\n")}\n`;
  if (isWriting) writeFileSync(path, session);
  else expect(session).toBe(text);
});
