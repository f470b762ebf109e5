// The writes of a turn: all of each or nothing, at the right place, whatever the text. On the engine at hand.
import type { StoredMessage } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  chain,
  human,
  ids,
  newAgent,
  newMessage,
  newStep,
  newTalk,
  oddTexts,
  persona,
  say,
  takeLease,
  type Talk,
} from "../support/store-builders.ts";
import { storedReport } from "../support/window-state.ts";

const { test, ada } = useStore();
let talk: Talk;

const threadOf = async ({ user, conversationId }: Talk): Promise<readonly StoredMessage[]> =>
  (await user.conversations.thread(conversationId)).messages;

const leafOf = async ({ user, conversationId }: Talk): Promise<string | null> =>
  (await user.conversations.find(conversationId))!.leafId;

describe("begin", () => {
  beforeAll(async () => (talk = await newTalk(ada)));

  it("writes the input, its messages and the leaf, and returns the modules' revisions", async () => {
    const messages = chain(null, [{ kind: "event", text: "login" }, { text: "Hello, I am Ada" }]);
    const begun = await ada.turns.begin(beginning(talk, { leafId: null, messages, key: "one" }));
    const fresh = { id: expect.any(String) as string, revision: 0, version: 0 };
    expect(begun).toEqual({
      lease: talk.lease,
      windowVersion: 0,
      modules: [
        { label: "persona", ...fresh },
        { label: "human", ...fresh },
      ],
      searchable: expect.objectContaining({ lastBefore: null }),
    });
    expect(await threadOf(talk)).toEqual(messages);
    expect(await leafOf(talk)).toBe(messages[1]!.id);
    const rows = await test.ownerRows("select status, message_id from inputs where conversation_id = $1::uuid", [
      talk.conversationId,
    ]);
    expect(rows).toEqual([{ status: "taken", message_id: messages[1]!.id }]);
    const written = await test.ownerRows(
      "select author, position from messages where conversation_id = $1::uuid order by position",
      [talk.conversationId],
    );
    expect(written).toEqual([
      { author: "runtime", position: 1 },
      { author: "user", position: 2 },
    ]);
  });

  it("writes nothing if the leaf has moved: throws under a lease, and returns null otherwise", async () => {
    const before = await threadOf(talk);
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "two" });
    await expect(ada.turns.begin(turn)).rejects.toMatchObject({ code: "agent_busy" });
    await ada.leases.release(talk.lease);
    expect(await ada.turns.begin({ ...turn, lease: { claimant: "somebody" } })).toBeNull();
    talk = { ...talk, lease: await takeLease(ada, talk.conversationId) };
    expect(await threadOf(talk)).toEqual(before);
    const [count] = await test.ownerRows("select count(*)::int as count from inputs where idempotency_key = 'two'");
    expect(count).toEqual({ count: 0 });
  });

  it("refuses a key that the conversation has had, and accepts it in another", async () => {
    const leafId = await leafOf(talk);
    const turn = beginning(talk, { leafId, messages: chain(leafId, [{}]), key: "one" });
    await expect(ada.turns.begin(turn)).rejects.toMatchObject({ code: "input_repeated" });
    expect(await leafOf(talk)).toBe(leafId);
    const other = await newTalk(ada);
    const elsewhere = beginning(other, { leafId: null, messages: [newMessage()], key: "one" });
    expect(await ada.turns.begin(elsewhere)).toMatchObject({ lease: other.lease });
  });

  it("refuses an unknown conversation, messages that do not follow each other, and keys of a wrong length", async () => {
    const turn = beginning(talk, { leafId: null, messages: [newMessage()], key: "k" });
    const keyed = (idempotencyKey: string) => ({ ...turn, inputs: [{ idempotencyKey, messageId: ids.next() }] });
    await expect(ada.turns.begin({ ...turn, conversationId: ids.next() })).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    await expect(ada.turns.begin({ ...turn, messages: [newMessage({ parentId: ids.next() })] })).rejects.toMatchObject({
      code: "input_invalid",
    });
    await expect(ada.turns.begin({ ...turn, messages: [] })).rejects.toMatchObject({ code: "input_invalid" });
    await expect(ada.turns.begin(keyed(""))).rejects.toMatchObject({ code: "input_invalid" });
    await expect(ada.turns.begin(keyed("k".repeat(201)))).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("lets one of several concurrent turns write", async () => {
    const fresh = await newTalk(ada);
    await ada.leases.release(fresh.lease);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const turn = beginning(fresh, { leafId: null, messages: [newMessage()], key: `at once ${index}` });
        return ada.turns.begin({ ...turn, lease: { claimant: `claimant ${index}` } });
      }),
    );
    expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
    expect(await threadOf(fresh)).toHaveLength(1);
  });
});

describe("commitReply", () => {
  it("stores the message, its calls as pending, and the step", async () => {
    const fresh = await newTalk(ada);
    const [said] = await say(fresh, ["remember this"]);
    const calls = ["call-1", "call-2"].map(
      (callId) => ({ type: "tool-call", callId, name: "note", arguments: "{" }) as const,
    );
    const message = newMessage({
      parentId: said!.id,
      role: "assistant",
      text: "noting",
      content: [{ type: "thought", text: "hm", signature: "sig" }, { type: "text", text: "noting" }, ...calls],
    });
    await ada.turns.commitReply({ ...fresh, message, step: newStep(message.turnId) });
    expect((await threadOf(fresh))[1]).toEqual(message);
    expect(
      await test.ownerRows(
        "select call_id, name, status from tool_calls where message_id = $1::uuid order by position",
        [message.id],
      ),
    ).toEqual([
      { call_id: "call-1", name: "note", status: "pending" },
      { call_id: "call-2", name: "note", status: "pending" },
    ]);
    expect(
      await test.ownerRows("select number, model, report from steps where turn_id = $1::uuid", [message.turnId]),
    ).toEqual([{ number: 1, model: "demo", report: storedReport }]);
  });

  it("refuses, with nothing written, if another process has written", async () => {
    const fresh = await newTalk(ada);
    await say(fresh, ["one"]);
    const message = newMessage({ role: "assistant" });
    await expect(ada.turns.commitReply({ ...fresh, message, step: newStep(message.turnId) })).rejects.toMatchObject({
      code: "agent_busy",
    });
    expect(await threadOf(fresh)).toHaveLength(1);
    expect(await test.ownerRows("select 1 from steps where turn_id = $1::uuid", [message.turnId])).toEqual([]);
  });
});

describe("commitReply with releasesLease", () => {
  it("releases the lease with the reply, and finds a repeated one stored", async () => {
    const fresh = await newTalk(ada);
    const [said] = await say(fresh, ["last"]);
    const message = newMessage({ parentId: said!.id, role: "assistant", text: "bye" });
    const reply = { ...fresh, message, step: newStep(message.turnId), releasesLease: true };
    await ada.turns.commitReply(reply);
    const claim = { conversationId: fresh.conversationId, claimant: "the next", ttlMs: 60_000 };
    expect(await ada.leases.take(claim)).toMatchObject({ type: "taken", leafId: message.id });
    await ada.turns.commitReply(reply);
    expect(await threadOf(fresh)).toHaveLength(2);
    expect((await ada.leases.take({ ...claim, claimant: "another" })).type).toBe("busy");
  });

  it("keeps the lease when the reply is refused", async () => {
    const fresh = await newTalk(ada);
    const message = newMessage({ parentId: ids.next(), role: "assistant" });
    const reply = { ...fresh, message, step: newStep(message.turnId), releasesLease: true };
    await expect(ada.turns.commitReply(reply)).rejects.toMatchObject({ code: "agent_busy" });
    const claim = { conversationId: fresh.conversationId, claimant: "the next", ttlMs: 60_000 };
    expect((await ada.leases.take(claim)).type).toBe("busy");
  });
});

describe("commitToolResult", () => {
  const edit = { label: "human", scope: "user", revision: 0, before: "", after: "Name: Ada" } as const;
  const passage = () =>
    ({ id: ids.next(), text: "Ada sails", tags: ["hobby"], kind: "memory", at: new Date() }) as const;

  it("stores the result with the events about it, or neither", async () => {
    const fresh = await newTalk(ada);
    const result = await callTool(fresh);
    const { turnId } = result.message;
    const events = { turnId, first: 1, last: 3, events: "[]" };
    const conflict = { ...edit, revision: 7 };
    await expect(ada.turns.commitToolResult({ ...result, changes: [conflict], events })).rejects.toThrow();
    expect(await ada.events.last(turnId)).toBe(0);
    await ada.turns.commitToolResult({ ...result, events });
    expect(await ada.events.last(turnId)).toBe(3);
  });

  it("stores the result, the changes and the passages together", async () => {
    const fresh = await newTalk(ada);
    const result = { ...(await callTool(fresh)), changes: [edit], passages: [passage(), passage()] };
    await ada.turns.commitToolResult(result);
    expect((await threadOf(fresh)).at(-1)).toEqual(result.message);
    expect((await ada.modules.list(fresh.agentId))[1]).toMatchObject({ value: "Name: Ada", revision: 1 });
    expect(await ada.modules.revisions(fresh.agentId, { label: "human", limit: 5 })).toEqual([
      expect.objectContaining({
        label: "human",
        revision: 1,
        before: "",
        after: "Name: Ada",
        origin: "model",
        toolName: "core_memory_append",
        callId: "call-1",
        messageId: result.callMessageId,
        conversationId: fresh.conversationId,
        undoes: null,
      }),
    ]);
    expect(await ada.passages.list(fresh.agentId, { order: "newest", limit: 5 })).toMatchObject([
      { text: "Ada sails", origin: "model", conversationId: fresh.conversationId, messageId: result.callMessageId },
    ]);
    const [call] = await test.ownerRows(
      "select status, result_message_id from tool_calls where message_id = $1::uuid",
      [result.callMessageId],
    );
    expect(call).toEqual({ status: "ok", result_message_id: result.message.id });
  });

  it.each([
    ["a stale revision", { ...edit, revision: 7 }, "revision_conflict"],
    ["an unknown module", { ...edit, label: "nobody" }, "module_not_found"],
  ])("writes nothing at all for %s", async (_, change, code) => {
    const fresh = await newTalk(ada);
    const result = await callTool(fresh);
    const good = { label: "persona", scope: "agent", revision: 0, before: "I am Scout.", after: "changed" } as const;
    const before = await threadOf(fresh);
    await expect(
      ada.turns.commitToolResult({ ...result, changes: [good, change], passages: [passage()] }),
    ).rejects.toMatchObject({ code });
    expect(await threadOf(fresh)).toEqual(before);
    expect((await ada.modules.list(fresh.agentId))[0]).toMatchObject({ ...persona, revision: 0, trust: "user" });
    expect(await ada.modules.revisions(fresh.agentId, { limit: 5 })).toEqual([]);
    expect(await ada.passages.count(fresh.agentId)).toBe(0);
    await ada.turns.commitToolResult(result);
  });

  it("refuses a second result of a call, and a result without a call", async () => {
    const fresh = await newTalk(ada);
    const result = await callTool(fresh);
    await ada.turns.commitToolResult(result);
    const again = { ...result, message: newMessage({ parentId: result.message.id, role: "tool" }) };
    await expect(ada.turns.commitToolResult(again)).rejects.toMatchObject({ code: "message_not_found" });
    await expect(ada.turns.commitToolResult({ ...again, callId: "other" })).rejects.toMatchObject({
      code: "message_not_found",
    });
    expect(await leafOf(fresh)).toBe(result.message.id);
  });

  it("lets only the owner change the agent's own modules", async () => {
    const { id } = await ada.agents.create(newAgent());
    await ada.agents.share(id, "ben");
    const ben = test.store.as("ben");
    await ben.agents.accept(id);
    await ben.modules.addMissing(id, [persona, human]);
    const bens = await newTalk(ben, id);
    const change = {
      label: "persona",
      scope: "agent",
      revision: 0,
      before: "I am Scout.",
      after: "I am Ben's",
    } as const;
    const result = await callTool(bens, { changes: [edit, change] });
    await expect(ben.turns.commitToolResult(result)).rejects.toMatchObject({ code: "module_read_only" });
    await ben.turns.commitToolResult({ ...result, changes: [edit] });
    expect((await ben.modules.list(id)).map(({ value }) => value)).toEqual(["I am Scout.", "Name: Ada"]);
    expect((await ada.modules.list(id)).map(({ value }) => value)).toEqual(["I am Scout.", ""]);
  });
});

describe("commitMemory", () => {
  const edit = { label: "human", scope: "user", revision: 0, before: "", after: "Name: Ada" } as const;

  it("changes the module as the model, with the preceding message, and moves no leaf", async () => {
    const fresh = await newTalk(ada);
    const { callMessageId: messageId } = await callTool(fresh);
    await ada.turns.commitMemory({ ...fresh, messageId, changes: [edit], trust: "external" });
    expect((await ada.modules.list(fresh.agentId))[1]).toMatchObject({
      value: "Name: Ada",
      revision: 1,
      trust: "external",
    });
    const made = await ada.modules.madeBy(fresh.agentId, [messageId]);
    expect(made).toEqual([
      expect.objectContaining({
        label: "human",
        revision: 1,
        origin: "model",
        toolName: null,
        callId: null,
        messageId,
        conversationId: fresh.conversationId,
        trust: "external",
      }),
    ]);
    expect(await leafOf(fresh)).toBe(messageId);
  });

  it.each([
    ["a stale revision", { ...edit, revision: 7 }, "revision_conflict"],
    ["an unknown module", { ...edit, label: "nobody" }, "module_not_found"],
  ])("writes nothing at all for %s", async (_, change, code) => {
    const fresh = await newTalk(ada);
    const { callMessageId: messageId } = await callTool(fresh);
    const good = { label: "persona", scope: "agent", revision: 0, before: "I am Scout.", after: "changed" } as const;
    await expect(
      ada.turns.commitMemory({ ...fresh, messageId, changes: [good, change], trust: "model" }),
    ).rejects.toMatchObject({ code });
    expect(await ada.modules.revisions(fresh.agentId, { limit: 5 })).toEqual([]);
  });

  it("writes nothing in an unknown conversation", async () => {
    const { agentId } = await newTalk(ada);
    const lease = { conversationId: ids.next(), fence: 1 };
    await expect(
      ada.turns.commitMemory({ agentId, lease, messageId: ids.next(), changes: [edit], trust: "model" }),
    ).rejects.toMatchObject({ code: "conversation_not_found" });
    expect(await ada.modules.revisions(agentId, { limit: 5 })).toEqual([]);
  });
});

describe("append", () => {
  it("does nothing for no messages, and refuses a parent that is not the leaf", async () => {
    const fresh = await newTalk(ada);
    await ada.turns.append(fresh.lease, []);
    await say(fresh, ["one", "two"]);
    await expect(ada.turns.append(fresh.lease, [newMessage()])).rejects.toMatchObject({ code: "agent_busy" });
    await expect(ada.turns.append({ conversationId: ids.next(), fence: 1 }, [newMessage()])).rejects.toMatchObject({
      code: "conversation_not_found",
    });
    expect((await threadOf(fresh)).map((message) => message.text)).toEqual(["one", "two"]);
  });
});

describe("unusual text", () => {
  it.each(oddTexts)("is read unchanged: %s", async (_, text) => {
    const fresh = await newTalk(ada);
    const [message] = await say(fresh, [text]);
    expect(await threadOf(fresh)).toEqual([message]);
  });

  it("has NUL and lone surrogates replaced everywhere", async () => {
    const fresh = await newTalk(ada);
    const text = "a\u0000b\ud800c\udc00d\\u0000";
    const message = newMessage({
      text,
      content: [{ type: "tool-call", callId: "c\u0000", name: text, arguments: text }],
      role: "assistant",
    });
    const step = {
      ...newStep(message.turnId),
      report: { ...storedReport, leftOut: [{ part: "result" as const, count: 1, tokens: 1, reason: text }] },
    };
    await ada.turns.commitReply({ ...fresh, message, step });
    const stored = "a\uFFFDb\uFFFDc\uFFFDd\\u0000";
    expect(await threadOf(fresh)).toEqual([
      {
        ...message,
        text: stored,
        content: [{ type: "tool-call", callId: "c\uFFFD", name: stored, arguments: stored }],
      },
    ]);
    const result = newMessage({ parentId: message.id, role: "tool", text });
    await ada.turns.commitToolResult({
      ...fresh,
      message: result,
      callMessageId: message.id,
      callId: "c\u0000",
      toolName: text,
      status: "failed",
      changes: [{ label: "human", scope: "user", revision: 0, before: "", after: text }],
      passages: [{ id: ids.next(), text, tags: [text], kind: "memory", at: new Date() }],
      trust: "external",
    });
    expect((await ada.modules.list(fresh.agentId))[1]!.value).toBe(stored);
    expect((await ada.passages.list(fresh.agentId, { order: "newest", limit: 1 }))[0]).toMatchObject({
      text: stored,
      tags: [stored],
    });
  });
});
