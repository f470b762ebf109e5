// The process that is killed while agents write to each other. It first finishes what those before left, and checks it: each call
// has one result, and each message arrived once. It writes lines: `recovering`; for each trial `state FOUND`, perhaps
// `violation …`, and `checked NUMBER`; `recovered MS`, `writing`, and at the end `written MS`.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { RequestError } from "../../src/base/errors.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createSpeakers, lastText, newTokens, speakers } from "../support/agent-messages-scene.ts";
import { connectionOf } from "./child-connection.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    number: { type: "string", default: "0" },
    /** The first trial that is not checked yet. */
    from: { type: "string", default: "0" },
    /** Only checks. */
    last: { type: "boolean", default: false },
  },
});

const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const call = (to: string, text: string, wait: boolean) => ({ name: "message_agent", arguments: { to, text, wait } });
const { options } = speakers({
  ada: (request) =>
    lastText(request).includes("Ask both.")
      ? { toolCalls: [call("eve", "Say hi", false), call("bob", "What is it?", true)] }
      : { text: "seen" },
  bob: (request) => {
    const result = /^ok: (.*)$/u.exec(lastText(request))?.[1];
    return result === undefined ? { toolCalls: [call("eve", "Do you know?", true)] } : { text: `Bob: ${result}` };
  },
  eve: (request) => {
    const tokens = newTokens(request);
    if (tokens.length === 0) return { text: "Eve knows" };
    return { toolCalls: tokens.map((token) => ({ name: "reply", arguments: { token, text: "hi back" } })) };
  },
});
const names = ["ada", "bob", "eve"];

const number = Number(values.number);
const store = await openStore({ connection: connectionOf(values) });
const runtimeOf = (trial: number) =>
  composeRuntime({ ...options, embedder: null, log: () => undefined, userId: `user-${trial}` }, { store });

tell("recovering");
const started = performance.now();
for (let trial = Number(values.from); trial < number; trial += 1) {
  await checkBefore(trial);
  tell(`checked ${trial}`);
}
if (number > 0) tell(`recovered ${performance.now() - started}`);
if (!values.last) {
  const runtime = await runtimeOf(number);
  const { ada } = await createSpeakers(runtime, names);
  tell("writing");
  const begun = performance.now();
  await ada!.send("Ask both.");
  await runtime.idle();
  tell(`written ${performance.now() - begun}`);
  await runtime.close();
}
await store.close();

async function checkBefore(trial: number): Promise<void> {
  const runtime = await runtimeOf(trial);
  const ada = await runtime.agents.open("ada").catch(() => null);
  if (ada === null) tell("state no agent");
  else {
    const before = await runtime.agentMessages.list("ada");
    tell(`state ${before.filter(({ status }) => status === "ended").length} of ${before.length} messages ended`);
    if (ada.unfinished) await Promise.resolve(ada.resume()).catch(requireComplete);
    const problem = (await rest(runtime)) ?? (ada.messages.length === 0 ? null : await check(runtime));
    if (problem !== null) tell(`violation trial ${trial}: ${problem}`);
  }
  await runtime.close();
}

/** A server may commit the last write of a process after its death, and so after the turn was found unfinished. */
function requireComplete(error: unknown): void {
  if (!(error instanceof RequestError) || error.code !== "nothing_to_resume") throw error;
}

/** Delivers until every message has ended. Returns what is left. */
async function rest(runtime: Runtime): Promise<string | null> {
  let left: readonly string[] = [];
  for (let tries = 0; tries < 40; tries += 1) {
    await runtime.agentMessages.deliver();
    await runtime.idle();
    const lists = await Promise.all(names.map((name) => runtime.agentMessages.list(name).catch(() => [])));
    left = lists.flat().flatMap(({ status, text }) => (status === "ended" ? [] : [`${text} ${status}`]));
    if (left.length === 0) return null;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return `messages do not end: ${left.join(", ")}`;
}

async function check(runtime: Runtime): Promise<string | null> {
  const found: string[] = [];
  for (const name of names) {
    const { messages } = await runtime.agents.open(name);
    const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
    for (const { status, text } of results) found.push(`${name} ${status}: ${text}`);
    const inputs = messages.filter(({ kind, role }) => kind === "system" && role === "user");
    for (const { text } of inputs) found.push(`${name} got ${text.split("\n\n")[1]}`);
  }
  const expected = [
    "ada ok: Sent to eve.",
    "ada ok: Bob: Eve knows",
    "ada got hi back",
    "bob got What is it?",
    "bob ok: Eve knows",
    "eve got Say hi",
    "eve got Do you know?",
    "eve ok: Sent to ada.",
  ];
  return JSON.stringify(found.toSorted()) === JSON.stringify(expected.toSorted()) ? null : found.join(" | ");
}
