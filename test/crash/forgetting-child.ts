// The process that is killed while it forgets: as a program, or with `--by-model` by an approved call of the model, which is
// applied when its turn ends. It first checks what the one before left: everything that was planted, or no trace
// and a record; then it finishes what was not done. It writes lines: `state untouched`, `state forgotten` or `violation …`, then
// `planted N`, `forgetting`, and `forgot MS` when it has committed.
import { readdirSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Agent } from "../../src/agent/agent.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { openStore } from "../../src/store/open-store.ts";
import { newTalk, say } from "../support/store-builders.ts";
import { connectionOf } from "./child-connection.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    /** The folder of objects. */
    objects: { type: "string", default: "" },
    number: { type: "string", default: "0" },
    /** Rows with a trace that the process before has planted; empty for the first process. */
    planted: { type: "string", default: "" },
    /** The model forgets; a person approves. */
    "by-model": { type: "boolean", default: false },
    /** Forgets in two transactions, as a careless change might: to show that the trials find it. */
    halves: { type: "boolean", default: false },
    /** Only checks. */
    last: { type: "boolean", default: false },
  },
});

const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const connection = connectionOf(values);
const store = await openStore({ connection });
const owner = await openDatabase({ connection });
const number = Number(values.number);

const canaryOf = (trial: number): string => `canary ${trial} sings at ${trial * 7919}`;
const runtimeOf = (trial: number) => {
  const canary = canaryOf(trial);
  const call = { name: "forget", arguments: { texts: [canary] } };
  const replies = [
    { text: "Noted." },
    { text: "I know." },
    { text: `Summary: ${canary}.` },
    { toolCalls: [call] },
    { text: `I forget that ${canary}.` },
  ];
  const model = createScriptedModel({ replies });
  const userId = `user-${trial}`;
  const options = { model: "scripted", models: [model], embedder: null, objects: `folder:${values.objects}`, userId };
  return composeRuntime({ ...options, keepLast: 1 }, { store });
};

if (values.planted !== "") await checkBefore(number - 1, Number(values.planted));
if (!values.last) {
  const runtime = await runtimeOf(number);
  await plant(runtime, number);
  const asked = values["by-model"] ? await askToForget(runtime, number) : null;
  tell(`planted ${await tracesInRows(number)}`);
  tell("forgetting");
  const begun = performance.now();
  if (values.halves) await forgetHalf(number);
  if (asked === null) await runtime.forget.apply({ texts: [canaryOf(number)] });
  else for await (const _event of asked.approve(asked.pendingApprovals[0]!.callId));
  tell(`forgot ${performance.now() - begun}`);
  await runtime.close();
}
await owner.close();
await store.close();

/** `planted`: at least so many rows have a trace if nothing was forgotten; an approved call may have added some. */
async function checkBefore(trial: number, planted: number): Promise<void> {
  const runtime = await runtimeOf(trial);
  // Applies what an approved call had deferred.
  await runtime.agents.open("scout", { withoutCalls: true });
  const traces = await tracesInRows(trial);
  const records = await runtime.forget.list();
  const state = records.length === 1 && traces === 0 ? "forgotten" : "untouched";
  if (state === "untouched" && (records.length > 0 || traces < planted))
    tell(`violation ${traces} of ${planted} rows have a trace, with ${records.length} records`);
  else tell(`state ${state}`);
  if (state === "untouched") {
    const preview = await runtime.forget.preview({ texts: [canaryOf(trial)] });
    const { places } = await runtime.forget.apply({ texts: [canaryOf(trial)] });
    if (places.length !== preview.places.length) tell("violation the forgetting differs from its preview");
    if ((await tracesInRows(trial)) > 0) tell("violation a repeated forgetting leaves traces");
  }
  const agent = await runtime.agents.open("scout", { withoutCalls: true });
  if (hasTrace(JSON.stringify(agent.context()), trial)) tell("violation a prompt has a trace");
  await runtime.close();
  // Objects that the killed process had still to delete are deleted when a runtime of the user is opened.
  if (tracesInObjects(trial) > 0) tell("violation an object has a trace");
}

/** Returns the agent whose call of `forget` waits for approval, in a conversation of its own. */
async function askToForget(runtime: Awaited<ReturnType<typeof runtimeOf>>, trial: number): Promise<Agent> {
  const agent = await runtime.agents.open("scout", { conversation: "new" });
  for await (const _event of agent.send(`Forget ${canaryOf(trial)}.`));
  return agent;
}

async function plant(runtime: Awaited<ReturnType<typeof runtimeOf>>, trial: number): Promise<void> {
  const canary = canaryOf(trial);
  const agent = await runtime.agents.open("scout", { create: { human: `I know: ${canary}` } });
  const file = { data: Buffer.from(`In a file: ${canary}`), name: "note.txt" };
  for await (const _event of agent.send(`Remember ${canary}.`, { files: [file] }));
  for await (const _event of agent.send("Good."));
  await agent.compact();
  await runtime.memory.set("scout", "human", `Also: ${canary}`);
  await runtime.archival.add("scout", `Archived: ${canary}`);
  await runtime.conversations.rename(agent.conversationId, canary);
  await runtime.schedules.create("scout", { text: canary, at: new Date("2040-01-01T00:00:00Z") });
  const node = runtime.nodeMemory.open({ app: "app", conversation: agent.conversationId, node: "node" });
  node.addMessages({ messageId: "m1", parentMessageId: null, userContent: canary, assistantContent: "Noted." });
  await node.flush();
  // As many as make a forgetting last long enough to be killed in it.
  const user = store.as(runtime.userId);
  const talk = await newTalk(user, agent.record.id);
  const texts = Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? `${canary}, ${at}` : `message ${at}`));
  await say(talk, texts);
  await user.leases.release(talk.lease);
}

/** All rows of all tables of this database, as their owner. */
async function tracesInRows(trial: number): Promise<number> {
  return owner.ownerTransaction(async (tx) => {
    const tables = await tx.run<{ readonly name: string }>(
      "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1",
      [],
    );
    let traces = 0;
    for (const { name } of tables) {
      const rows = `select count(*)::int as count from "${name}" t where to_jsonb(t)::text ilike '%' || $1 || '%'`;
      const [row] = await tx.run<{ readonly count: number }>(rows, [canaryOf(trial)]);
      traces += row?.count ?? 0;
    }
    return traces;
  });
}

function tracesInObjects(trial: number): number {
  const files = readdirSync(values.objects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.filter((file) => hasTrace(readFileSync(path.join(file.parentPath, file.name), "utf8"), trial)).length;
}

function hasTrace(text: string, trial: number): boolean {
  return text.includes(canaryOf(trial));
}

async function forgetHalf(trial: number): Promise<void> {
  const half = "update schedules set text = 'forgotten' where user_id = $1";
  await owner.ownerTransaction((tx) => tx.run(half, [`user-${trial}`]));
}
