// What a small model keeps with `assist`: facts told between other messages, then questions after a restart.
// Prints the transcript and the section that was kept. The bounds are the ones in docs/models.md.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Trial } from "./ask-directly.ts";

/** What the user says: six messages state a fact (with the words that show that it was kept), six do not. */
const said: readonly (readonly [text: string, kept?: RegExp])[] = [
  ["Hi there!"],
  ["My name is Ada and I live in Lisbon.", /Ada[\s\S]*Lisbon|Lisbon[\s\S]*Ada/u],
  ["What is the capital of France?"],
  ["I have a dog called Bruno.", /Bruno/u],
  ["Can you explain in one sentence what a tide is?"],
  ["By the way, I am allergic to peanuts.", /peanut/iu],
  ["Thanks, that helps."],
  ["I work as a nurse in a children's hospital.", /nurse|hospital/iu],
  ["How many legs does a spider have?"],
  ["My sister Maria is getting married on 14 June.", /Maria/u],
  ["Tell me a short joke."],
  ["I prefer short answers, without lists.", /short/iu],
];

const questions: readonly (readonly [text: string, answer: RegExp])[] = [
  ["What is my name?", /Ada/u],
  ["Where do I live?", /Lisbon/u],
  ["What is my dog called?", /Bruno/u],
  ["What am I allergic to?", /peanut/iu],
  ["What is my job?", /nurse/iu],
  ["Who is getting married in June?", /Maria|sister/u],
];

const bounds = { facts: 6, junk: 1, answers: 4 } as const;

/** Returns what does not hold. */
export async function keepFacts({ file, contextWindow, log }: Trial): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "palimpsest-trial-assist-"));
  const open = (): Promise<Runtime> =>
    createRuntime({ dataDir, model: file, contextWindow, assist: "on", maxSteps: 3, maxOutputTokens: 200, log });
  try {
    const first = await open();
    const agent = await first.agents.open("assisted", { create: {} });
    for (const [text] of said) await tell(agent.send(text), text, log);
    const kept = await first.memory.show("assisted");
    await first.close();
    const lines = kept.flatMap(({ value }) => value.split("\n").filter((line) => line.trim() !== ""));
    for (const line of lines) log(`kept: ${line}`);
    const answers = await askAfterRestart(open, log);
    return verdict(lines, answers, log);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function askAfterRestart(open: () => Promise<Runtime>, log: Trial["log"]): Promise<number> {
  const runtime = await open();
  try {
    const agent = await runtime.agents.open("assisted", { conversation: "new" });
    let right = 0;
    for (const [text, answer] of questions) if (answer.test(await tell(agent.send(text), text, log))) right += 1;
    return right;
  } finally {
    await runtime.close();
  }
}

/** Prints a turn and returns its text. */
async function tell(turn: AsyncIterable<AgentEvent>, asked: string, log: Trial["log"]): Promise<string> {
  log(`> ${asked}`);
  let text = "";
  for await (const event of turn) {
    if (event.type === "tool-call") log(`  call ${event.name} ${event.arguments}`);
    if (event.type === "tool-result") log(`  ${event.status}: ${event.text}`);
    if (event.type === "memory-edit")
      log(`  memory ${event.label}: ${JSON.stringify(event.after.slice(event.before.length))}`);
    if (event.type === "warning") log(`  warning: ${event.message}`);
    if (event.type === "turn-end") ({ text } = event);
  }
  log(`  ${text}`);
  return text;
}

function verdict(lines: readonly string[], answers: number, log: Trial["log"]): readonly string[] {
  const facts = said.flatMap(([, kept]) => (kept === undefined ? [] : [kept]));
  const all = lines.join("\n");
  const found = facts.filter((kept) => kept.test(all)).length;
  const junk = lines.filter((line) => !facts.some((kept) => kept.test(line)) && !/Ada|Lisbon/u.test(line)).length;
  log(
    `${found} of ${facts.length} facts kept, ${junk} junk, ${answers} of ${questions.length} answers right after a restart`,
  );
  return [
    ...(found < bounds.facts ? [`assist: ${found} of ${bounds.facts} facts kept`] : []),
    ...(junk > bounds.junk ? [`assist: ${junk} lines of junk, at most ${bounds.junk}`] : []),
    ...(answers < bounds.answers ? [`assist: ${answers} right answers, at least ${bounds.answers}`] : []),
  ];
}
