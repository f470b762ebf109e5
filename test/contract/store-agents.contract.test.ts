// Agents, who may use them, and what goes with them when they are deleted; users. On the engine at hand.
import { recordKinds } from "../../src/store/port/record-kinds.ts";
import { allTables } from "../../src/store/schema/all-tables.ts";
import { useStore } from "../support/database.ts";
import { fillAgentMessage } from "../support/isolation-agent-message-cases.ts";
import { fillConsolidation } from "../support/isolation-consolidation-cases.ts";
import { fillSource, fillSynopsis, keepEmbedders, keepNode } from "../support/isolation-scene.ts";
import { fillRecords } from "../support/new-record.ts";
import {
  beginning,
  callTool,
  compactThrough,
  fillSchedule,
  fillMcpServer,
  fillStoredTool,
  keepFile,
  human,
  ids,
  newAgent,
  newKey,
  newMessage,
  newTalk,
  persona,
  say,
  settings,
} from "../support/store-builders.ts";

const { test, ada, ben, eve } = useStore();

describe("agents", () => {
  it("are created with their modules and found by name and by id", async () => {
    const agent = newAgent({ name: "Scout", systemPrompt: "Line\u0000two" });
    const created = await ada.agents.create(agent);
    expect(created).toMatchObject({
      id: agent.id,
      ownerId: "ada",
      name: "Scout",
      systemPrompt: "Line\uFFFDtwo",
      settings,
    });
    expect(created.createdAt).toBeInstanceOf(Date);
    expect(await ada.agents.find("Scout")).toEqual(created);
    expect(await ada.agents.find(agent.id)).toEqual(created);
    expect(await ada.modules.list(agent.id)).toMatchObject([
      { ...persona, revision: 0, trust: "user" },
      { ...human, revision: 0, trust: "user" },
    ]);
  });

  it("are not found under any other name", async () => {
    for (const name of ["scout", "", "'", "no\u0000such", "00000000-0000-7000-8000-000000000000"]) {
      expect(await ada.agents.find(name)).toBeNull();
    }
  });

  it("refuse a name that the user already has, and allow it for other users", async () => {
    await ada.agents.create(newAgent({ name: "twice" }));
    await expect(ada.agents.create(newAgent({ name: "twice" }))).rejects.toMatchObject({ code: "agent_exists" });
    await expect(ben.agents.create(newAgent({ name: "twice" }))).resolves.toMatchObject({ ownerId: "ben" });
  });

  it.each([[""], ["   "], ["n".repeat(201)], ["a/b"], ["/"]])("refuse the name %j", async (name) => {
    await expect(ada.agents.create(newAgent({ name }))).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("are updated by their owner, but not to an existing name", async () => {
    const { id } = await ada.agents.create(newAgent({ name: "old name" }));
    await ada.agents.create(newAgent({ name: "taken" }));
    const changed = { name: "new name", settings: { ...settings, maxSteps: 3 } };
    const updated = await ada.agents.update(id, () => changed);
    expect(updated).toMatchObject({ name: "new name", model: "demo", settings: { maxSteps: 3 } });
    expect(await ada.agents.update(id, () => ({}))).toEqual(updated);
    expect(await ada.agents.find(id)).toEqual(updated);
    await expect(ada.agents.update(id, () => ({ name: "taken" }))).rejects.toMatchObject({ code: "agent_exists" });
    await expect(ben.agents.update(id, () => ({ model: "other" }))).rejects.toMatchObject({ code: "agent_not_found" });
    const none = ada.agents.update(ids.next(), () => ({ model: "other" }));
    await expect(none).rejects.toMatchObject({ code: "agent_not_found" });
  });

  it("get a name before or after a concurrent rename to the same name, and one is refused", async () => {
    const both = await Promise.all([ada.agents.create(newAgent()), ada.agents.create(newAgent())]);
    const renamed = await Promise.allSettled(both.map(({ id }) => ada.agents.update(id, () => ({ name: "wanted" }))));
    expect(renamed.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(renamed.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "agent_exists" } });
  });

  it("are updated by one change after another, each of the record that the one before has left", async () => {
    const { id } = await ada.agents.create(newAgent());
    const changes = Array.from({ length: 8 }, () =>
      ada.agents.update(id, ({ settings: before }) => ({ settings: { ...before, maxSteps: before.maxSteps + 1 } })),
    );
    const seen = (await Promise.all(changes)).map(({ settings: after }) => after.maxSteps - settings.maxSteps);
    expect(seen.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("of another user are invisible until they are shared", async () => {
    const { id, name } = await ada.agents.create(newAgent());
    expect(await eve.agents.find(id)).toBeNull();
    expect(await eve.agents.find(name)).toBeNull();
    expect(await eve.agents.list()).toEqual([]);
    await expect(eve.modules.list(id)).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(eve.modules.addMissing(id, [human])).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(eve.conversations.create({ id: ids.next(), agentId: id })).rejects.toMatchObject({
      code: "agent_not_found",
    });
    await expect(eve.passages.add(id, [], "user")).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(eve.agents.share(id, "eve")).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(eve.agents.delete(id)).rejects.toMatchObject({ code: "agent_not_found" });
    expect(await ada.agents.find(id)).not.toBeNull();
  });

  it("have a separate human module, conversations, recall and passages for each user", async () => {
    const { id } = await ada.agents.create(newAgent());
    await ada.agents.share(id, "ben");
    await ben.agents.accept(id);
    await ben.modules.addMissing(id, [persona, human]);
    const cause = { origin: "user" } as const;
    await ada.modules.change(id, [{ label: "human", scope: "user", revision: 0, before: "", after: "Ada" }], cause);
    await ben.modules.change(id, [{ label: "human", scope: "user", revision: 0, before: "", after: "Ben" }], cause);
    const adas = await newTalk(ada, id);
    const bens = await newTalk(ben, id);
    await say(adas, ["a secret of Ada"]);
    await say(bens, ["a secret of Ben"]);
    await ada.passages.add(
      id,
      [{ id: ids.next(), text: "Ada's passage", tags: [], kind: "memory", at: new Date() }],
      "user",
    );

    expect((await ben.modules.list(id)).map((module) => module.value)).toEqual(["I am Scout.", "Ben"]);
    expect((await ben.modules.revisions(id, { limit: 10 })).map((revision) => revision.after)).toEqual(["Ben"]);
    expect(
      (await ben.recall.search({ agentId: id, text: "secret", page: 0, pageSize: 5 })).rows.map((row) => row.text),
    ).toEqual(["a secret of Ben"]);
    expect(await ben.passages.list(id, { order: "newest", limit: 5 })).toEqual([]);
    expect(await ben.conversations.find(adas.conversationId)).toBeNull();
    expect((await ben.conversations.list(id, { order: "newest", limit: 10 })).map((one) => one.id)).toEqual([
      bens.conversationId,
    ]);
    await expect(ben.conversations.thread(adas.conversationId)).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    const intrusion = [newMessage({ text: "intrusion" })];
    await expect(ben.turns.append(adas.lease, intrusion)).rejects.toMatchObject({ code: "conversation_not_found" });
  });

  it("are deleted with all data of their owner, then with the data that another user kept, and nothing else", async () => {
    const kept = await newTalk(ada);
    await fill(kept);
    const counts = await countRows();
    const { id } = await ada.agents.create(newAgent());
    await ada.agents.share(id, "ben");
    await ben.agents.accept(id);
    await ben.modules.addMissing(id, [human]);
    await fill(await newTalk(ada, id));
    await fill(await newTalk(ben, id));
    const filled = await countRows();
    for (const [table, count] of Object.entries(counts)) {
      // Objects that are kept outside of the database are deleted after the commit, and wait in this table until then.
      // A module that was created on its own stays, and so does its offer.
      if (!["object_deletions", "module_grants"].includes(table))
        expect([table, filled[table]! > count]).toEqual([table, true]);
    }
    await ada.agents.delete(id);
    await ben.agents.delete(id);
    // Sources are their user's, whoever searches them: two were added, with a file and a passage each.
    // So are simple records, records of forgettings, stored tools, and MCP servers with a tool each.
    const { sources, source_files, passages, forgettings, stored_tools, mcp_servers, ...all } = await countRows();
    const records = Object.keys(recordKinds);
    const others = Object.fromEntries(Object.entries(all).filter(([table]) => !records.includes(table)));
    expect(records.map((table) => all[table])).toEqual(records.map((table) => counts[table]! + 2));
    expect({ sources, source_files, passages, forgettings, stored_tools, mcp_servers }).toEqual({
      stored_tools: counts["stored_tools"]! + 4,
      mcp_servers: counts["mcp_servers"]! + 2,
      forgettings: counts["forgettings"]! + 2,
      sources: counts["sources"]! + 2,
      source_files: counts["source_files"]! + 2,
      passages: counts["passages"]! + 2,
    });
    expect(counts).toMatchObject(others);
    expect((await kept.user.conversations.thread(kept.conversationId)).messages.length).toBeGreaterThan(0);
  });

  it("are deleted with their owner, like all data of a user", async () => {
    const gone = test.store.as("gone");
    const counts = await countRows();
    await fill(await newTalk(gone));
    await test.ownerRows("delete from users where user_id = $1", ["gone"]);
    expect(await countRows()).toEqual(counts);
  });
});

describe("users", () => {
  it.each([[""], ["u".repeat(201)], ["nul\u0000"], ["lone\ud800"]])("cannot be called %j", (userId) => {
    expect(() => test.store.as(userId)).toThrow(/1 to 200 characters/u);
  });

  it("can have any name that can be stored", async () => {
    const names = ["O'Hara; drop table users", `"quoted" \\x`, "名前 🙂", "a b"];
    for (const name of names) {
      const agent = await test.store.as(name).agents.create(newAgent());
      expect(agent.ownerId).toBe(name);
    }
    expect(await test.store.as("O'Hara").agents.list()).toEqual([]);
  });
});

/** At least one row in every table, for this conversation. */
async function fill(talk: Awaited<ReturnType<typeof newTalk>>): Promise<void> {
  const { user, agentId } = talk;
  const [first] = await user.modules
    .list(agentId)
    .then((modules) => modules.filter((module) => module.scope === "user"));
  const { file } = await keepFile(talk, talk.conversationId);
  const begun = newMessage({ content: [file] });
  await user.turns.begin(beginning(talk, { leafId: null, messages: [begun], key: "key" }));
  await user.events.append(talk.lease, { turnId: begun.turnId, first: 1, last: 1, events: "[]" });
  const result = await callTool(talk);
  const passageId = ids.next();
  await user.turns.commitToolResult({
    ...result,
    changes: [{ label: first!.label, scope: "user", revision: first!.revision, before: "", after: "changed" }],
    passages: [{ id: passageId, text: "passage", tags: ["tag"], kind: "fact", at: new Date() }],
  });
  const link =
    "insert into later_statements (user_id, earlier_id, later_id, passage_id) values ($1, $2::uuid, $3::uuid, $4::uuid)";
  await test.ownerRows(link, [user.userId, begun.id, result.callMessageId, passageId]);
  await user.agents.share(agentId, "someone").catch(() => undefined);
  await compactThrough(talk, begun.id);
  const [unembedded] = await user.passages.withoutVector(agentId, { embedder: "test", dimensions: 512, limit: 1 });
  const vector = Array.from({ length: 512 }, () => 0.1);
  await user.passages.addVectors(agentId, {
    embedder: "test",
    dimensions: 512,
    rows: [{ passageId: unembedded!.id, vector }],
  });
  await user.forgetting.defer({ id: ids.next(), texts: ["tea"] }, "model");
  await user.retention.begin({ id: ids.next(), agentId, at: new Date(), limits: {}, unlessAfter: null });
  await test.ownerRows("insert into messages_512 values ($1, $2::uuid, $3::uuid, 'test', $4::vector)", [
    user.userId,
    agentId,
    begun.id,
    JSON.stringify(vector),
  ]);
  await fillSource(test, talk, user.userId);
  await keepEmbedders(test, talk);
  await keepNode(talk, user.userId);
  await fillSynopsis(talk, { passageId, text: user.userId });
  await fillConsolidation(talk, { passageId, text: user.userId });
  await fillAgentMessage(test, talk, { messageId: begun.id, text: user.userId });
  await fillSchedule(talk, "scheduled");
  await fillStoredTool(talk, user.userId);
  await fillMcpServer(talk, user.userId);
  await fillRecords(talk.user, "text");
  await user.keys.create({ ...newKey("key"), agentId });
}

async function countRows(): Promise<Record<string, number>> {
  const tables = await test.ownerRows<{ name: string }>(
    "select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1",
  );
  expect(tables.length).toBe(allTables.length + 2);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    if (name === "users") continue;
    const [row] = await test.ownerRows<{ count: number }>(`select count(*)::int as count from "${name}"`);
    counts[name] = row!.count;
  }
  return counts;
}
