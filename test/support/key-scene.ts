// Two agents of one user: one with rows in every table, whose texts all hold a secret, and one that a limited key reaches.
// Invariant: what belongs to the first one was there before the second one, so that a dump tells them apart.
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { createGroup } from "../../src/surfaces/http/letta/groups/group-record.ts";
import type { Scope } from "../../src/surfaces/http/route.ts";
import { askedModel } from "./asked-model.ts";
import { openTestStore, placeOf, type TestStore } from "./database.ts";
import { fillTalk, rowsOf, secret } from "./isolation-scene.ts";
import type { IdsByKind } from "./route-requests.ts";
import { newTalk } from "./store-builders.ts";

export interface KeyScene {
  readonly host: Host;
  readonly user: string;
  /** Of the agent with the secret. */
  readonly other: IdsByKind;
  /** Its rows. */
  readonly rows: readonly string[];
  /** All rows of the user now, without the times at which keys were used. */
  dump(): Promise<readonly string[]>;
  newOwn(): Promise<OwnAgent>;
  close(): Promise<void>;
}

/** The agent that the keys reach. */
export interface OwnAgent {
  readonly ids: IdsByKind;
  readonly keys: Readonly<Record<Scope, string>>;
  delete(): Promise<void>;
}

export async function openKeyScene(user = "ada"): Promise<KeyScene> {
  const test = await openTestStore();
  const place = placeOf(test);
  const host = await createHost({ ...place, model: "asked", models: [askedModel], embedder: null, timeZone: "UTC" });
  const other = await fillOther(test, host);
  const dump = async () => {
    await host.forUser(user).idle();
    return (await rowsOf({ test }, user)).map((row) => row.replace(/"last_used_at": [^,}]+/u, '"last_used_at": null'));
  };
  const rows = await dump();
  let made = 0;
  return {
    host,
    user,
    other,
    rows,
    dump,
    newOwn: () => newOwn(host, user, (made += 1)),
    async close() {
      await host.close();
      await test.close();
    },
  };
}

/** Creates a group of an agent alone, and returns its id. */
async function groupOf(runtime: ReturnType<Host["forUser"]>, agent: string, description: string): Promise<string> {
  const manager_config = { manager_type: "round_robin" } as const;
  return (await createGroup(runtime, { agent_ids: [agent], description, manager_config })).id;
}

async function fillOther(test: TestStore, host: Host): Promise<IdsByKind> {
  const filled = await fillTalk(test, await newTalk(test.store.as("ada")), secret);
  const runtime = host.forUser("ada");
  // It would be carried out when an agent is opened, and remove the secret.
  await test.ownerRows("delete from forgettings");
  const { agentId: agent, recordIds } = filled;
  const { identities: identity } = recordIds;
  await runtime.agents.setDetails(agent, { description: secret, extensions: { letta: { identity_ids: [identity] } } });
  const { name: agentName } = await runtime.agents.find(agent);
  const { name: toolName } = await runtime.tools.find(filled.toolId);
  const { name: sourceName } = await runtime.sources.show(filled.sourceId);
  const [file] = await runtime.sources.attachedFiles(agent);
  const rows = await runtime.sources.passages(filled.sourceId);
  return {
    agent,
    agentName,
    conversation: filled.conversationId,
    message: filled.messageId,
    turn: filled.turnId,
    response: `resp_${filled.turnId}_1`,
    step: filled.stepId,
    attachment: filled.attachmentId,
    module: filled.moduleId,
    tool: filled.toolId,
    toolName,
    source: filled.sourceId,
    sourceName,
    file: file!.id,
    passage: filled.passageId,
    sourcePassage: rows[0]!.id,
    schedule: filled.scheduleId,
    consolidation: filled.consolidationId,
    identity,
    group: await groupOf(runtime, agent, secret),
    server: filled.mcpServerId,
    key: filled.keyId,
  };
}

async function newOwn(host: Host, user: string, number: number): Promise<OwnAgent> {
  const runtime = host.forUser(user);
  const named = (kind: string) => `own_${kind}_${number}`;
  const { id: agent, name } = await runtime.agents.create({ name: named("agent"), persona: "", human: "" });
  const opened = await runtime.agents.open(agent);
  await opened.send("SAY hi");
  const { messages } = await runtime.conversations.messages(opened.conversationId);
  const [turn] = await runtime.turns.list({ agent });
  await runtime.turns.annotate(turn!.id, { isBackground: true });
  const [step] = await runtime.turns.stepsOfAgent(agent);
  const parameters = { type: "object", properties: {} };
  const tool = await runtime.tools.create({ name: named("tool"), description: "Rings.", parameters });
  await runtime.tools.attach(agent, tool.id);
  const source = await runtime.sources.create(named("source"));
  const sourcePassage = await runtime.sources.add(source.id, "Hello, boats float.");
  await runtime.sources.load(source.id, [{ name: "a.txt", data: "Boats float on water." }]);
  await runtime.sources.attach(agent, source.id);
  const [file] = await runtime.sources.attachedFiles(agent);
  const identity = await runtime.identities.create({ key: named("identity"), name: "Own" });
  await runtime.agents.setDetails(agent, { extensions: { letta: { identity_ids: [identity.id] } } });
  const [module] = await runtime.memory.show(agent);
  const passage = await runtime.archival.add(agent, "Hello from the blue harbour.");
  const schedule = await runtime.schedules.create(agent, { text: "SAY hi", cron: "0 9 * * *" });
  await runtime.archival.add(agent, "Hello from the blue harbour and the bay.");
  // The demo model gives no operations, and the run has failed.
  await runtime.consolidation.run(agent).catch(() => null);
  const [consolidation] = await runtime.consolidation.list(agent);
  const keyOf = async (scope: Scope) => (await runtime.keys.create({ agent, scope })).secret;
  return {
    ids: {
      agent,
      agentName: name,
      conversation: opened.conversationId,
      message: messages[0]!.id,
      turn: turn!.id,
      step: step!.id,
      // It has none: 404.
      attachment: agent,
      key: agent,
      server: agent,
      module: module!.id,
      tool: tool.id,
      toolName: tool.name,
      source: source.id,
      sourceName: source.name,
      file: file!.id,
      passage: passage.id,
      sourcePassage: sourcePassage.id,
      schedule: schedule.id,
      consolidation: consolidation!.id,
      identity: identity.id,
      group: await groupOf(runtime, agent, "Own"),
    },
    keys: { read: await keyOf("read"), chat: await keyOf("chat"), admin: await keyOf("admin") },
    async delete() {
      const exists = (await runtime.agents.list()).some(({ id }) => id === agent);
      if (exists) await runtime.agents.delete(agent);
      await runtime.tools.delete(tool.id);
      await runtime.sources.delete(source.id);
      await runtime.identities.delete(identity.id);
    },
  };
}
