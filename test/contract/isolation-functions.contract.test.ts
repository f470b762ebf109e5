// No function of the store gives a user another user's rows or changes them. The list of functions is derived from a UserStore:
// one without a case below fails. On the engine at hand.
import type { UserStore } from "../../src/store/port/store.ts";
import { type FilledTalk, openScene, rowsOfAda, secret, vector } from "../support/isolation-scene.ts";
import { agentCases } from "../support/isolation-agent-cases.ts";
import { approvalCases } from "../support/isolation-approval-cases.ts";
import { conversationCases } from "../support/isolation-conversation-cases.ts";
import { inputCases } from "../support/isolation-input-cases.ts";
import { embedderCases } from "../support/isolation-embedder-cases.ts";
import { keyCases } from "../support/isolation-key-cases.ts";
import { transferCases } from "../support/isolation-transfer-cases.ts";
import { turnCases } from "../support/isolation-turn-cases.ts";
import { nodeMemoryCases } from "../support/isolation-node-memory-cases.ts";
import { forgettingCases } from "../support/isolation-forgetting-cases.ts";
import { agentMessageCases } from "../support/isolation-agent-message-cases.ts";
import { consolidationCases } from "../support/isolation-consolidation-cases.ts";
import { scheduleCases } from "../support/isolation-schedule-cases.ts";
import { moduleCases } from "../support/isolation-module-cases.ts";
import { identityCases } from "../support/isolation-identity-cases.ts";
import { mcpServerCases } from "../support/isolation-mcp-server-cases.ts";
import { storedToolCases } from "../support/isolation-stored-tool-cases.ts";
import { type PortCase, sourceCases } from "../support/isolation-source-cases.ts";
import { nothingSearchable } from "../support/window-state.ts";
import {
  beginning,
  human,
  ids,
  newCompaction,
  newFile,
  newMessage,
  newStep,
  synopsisOf,
  ttlMs,
} from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openScene());

const page = { page: 0, pageSize: 10 };
/** Of an embedder that nobody has. */
const everything = { embedder: "other", dimensions: 512, roles: ["searched"], isDefault: true } as const;
const nothing = { rows: [], total: 0 };
const noAgent = "agent_not_found";
const noConversation = "conversation_not_found";
const cause = { origin: "user" } as const;
const change = { label: "human", scope: "user", revision: 1, before: "", after: "changed" } as const;
const now = new Date("2026-11-21T10:00:00Z");
/** All that can go, a year from now. */
const sweepOf = ({ agentId, sweepId }: FilledTalk) => ({
  id: sweepId,
  agentId,
  at: new Date(Date.now() + 366 * 86_400_000),
  limits: { messages: { days: 1 }, revisions: { days: 1 }, steps: { days: 1 } },
});
const reply = (of: FilledTalk) => newMessage({ parentId: of.messageId, role: "assistant", text: "intrusion" });

const cases: Readonly<Record<string, PortCase>> = {
  ...agentCases,
  ...conversationCases,
  "modules.list": { call: (user, of) => user.modules.list(of.agentId), gives: noAgent },
  "modules.addMissing": {
    call: (user, of) => user.modules.addMissing(of.agentId, [{ ...human, label: "new", scope: "agent" }]),
    gives: noAgent,
  },
  "modules.change": { call: (user, of) => user.modules.change(of.agentId, [change], cause), gives: noAgent },
  "modules.revisions": { call: (user, of) => user.modules.revisions(of.agentId, { limit: 10 }), gives: noAgent },
  "modules.madeBy": {
    call: (user, of) => user.modules.madeBy(of.agentId, [of.callMessageId]),
    gives: noAgent,
  },
  "openings.read": {
    call: async (user, of) => {
      const request = { agent: of.agentId, conversation: { id: of.conversationId }, maxSamples: 10 };
      const opening = await user.openings.read(request);
      return opening === null ? null : { ...opening, agent: null };
    },
    gives: null,
  },
  "openings.searchable": {
    call: (user, of) => user.openings.searchable(of.agentId, of.conversationId),
    gives: nothingSearchable,
  },
  "compactions.add": {
    call: (user, of) =>
      user.compactions.add(of.lease, [newCompaction({ throughId: of.messageId, throughPosition: 1 })]),
    gives: noConversation,
  },
  "compactions.undo": { call: (user, of) => user.compactions.undo(of.lease), gives: noConversation },
  "compactions.list": { call: (user, of) => user.compactions.list(of.conversationId, 10), gives: noConversation },
  "compactions.messages": {
    call: (user, of) => user.compactions.messages(of.conversationId, { fromPosition: 1, throughPosition: 1000 }),
    gives: noConversation,
  },
  "leases.take": {
    call: (user, of) => user.leases.take({ conversationId: of.conversationId, claimant: "intruder", ttlMs }),
    gives: noConversation,
  },
  "leases.renew": { call: (user, of) => user.leases.renew(of.lease, ttlMs), gives: "lease_lost" },
  "leases.stop": { call: (user, of) => user.leases.stop(of.conversationId), gives: false },
  "leases.isStopped": { call: (user, of) => user.leases.isStopped(of.lease), gives: false },
  "leases.release": { call: (user, of) => user.leases.release(of.lease), gives: undefined },
  "events.append": {
    call: (user, of) => user.events.append(of.lease, { turnId: of.turnId, first: 2, last: 2, events: "[]" }),
    gives: undefined,
  },
  "events.read": {
    call: (user, of) => user.events.read(of.conversationId, of.turnId, { after: 0 }),
    gives: noConversation,
  },
  "events.last": { call: (user, of) => user.events.last(of.turnId), gives: 0 },
  "events.turnOf": {
    call: (user, of) => user.events.turnOf(of.conversationId, `key of ${secret}`),
    gives: null,
  },
  "events.expire": { call: (user) => user.events.expire(0), gives: undefined },
  "steps.list": { call: (user, of) => user.steps.list(of.conversationId, 10), gives: noConversation },
  "steps.find": { call: (user, of) => user.steps.find(of.conversationId, 1), gives: noConversation },
  "turns.begin": {
    call: (user, of) =>
      user.turns.begin(beginning(of, { leafId: of.messageId, messages: [reply(of)], key: `key of ${secret}` })),
    gives: noConversation,
  },
  "turns.commitReply": {
    call: (user, of) => user.turns.commitReply({ ...of, message: reply(of), step: newStep(ids.next()) }),
    gives: noConversation,
  },
  "turns.commitToolResult": {
    call: (user, of) =>
      user.turns.commitToolResult({
        ...of,
        message: reply(of),
        callId: "call-1",
        toolName: "core_memory_append",
        status: "ok",
        changes: [change],
        passages: [{ id: ids.next(), text: "intrusion", tags: [], kind: "fact", at: now }],
        trust: "model",
      }),
    gives: noConversation,
  },
  "turns.append": { call: (user, of) => user.turns.append(of.lease, [reply(of)]), gives: noConversation },
  "turns.commitMemory": {
    call: (user, of) =>
      user.turns.commitMemory({ ...of, messageId: of.callMessageId, changes: [change], trust: "model" }),
    gives: noConversation,
  },
  "steps.usageSamples": { call: (user) => user.steps.usageSamples("demo", 20), gives: [] },
  "steps.usageSince": { call: (user) => user.steps.usageSince(new Date(0)), gives: [] },
  "attachments.reserve": {
    call: (user, of) => user.attachments.reserve(of.conversationId, "database", [newFile("intrusion")]),
    gives: noConversation,
  },
  "attachments.markStored": { call: (user, of) => user.attachments.markStored([of.attachmentId]), gives: undefined },
  "attachments.objectOf": { call: (user, of) => user.attachments.objectOf(of.attachmentId), gives: null },
  "attachments.discard": { call: (user, of) => user.attachments.discard([of.attachmentId]), gives: undefined },
  "attachments.dueDeletions": {
    call: async (user, of) =>
      (await user.attachments.dueDeletions("elsewhere")).filter(({ objectKey }) => objectKey === of.objectKey),
    gives: [],
  },
  "attachments.deletionDone": {
    call: (user, of) => user.attachments.deletionDone({ place: "elsewhere", objectKey: of.objectKey }),
    gives: undefined,
  },
  "attachments.count": {
    call: async (user) => (await user.attachments.count()).missing,
    gives: 0,
  },
  "attachments.filesOf": { call: (user, of) => user.attachments.filesOf([of.attachmentId]), gives: [] },
  "objects.create": {
    call: (user, of) => user.objects.create(`${of.objectKey}-intrusion`, Buffer.from("intrusion")),
    gives: true,
  },
  "objects.get": { call: (user, of) => user.objects.get(of.objectKey), gives: null },
  "objects.delete": { call: (user, of) => user.objects.delete(of.objectKey), gives: undefined },
  "retention.begin": {
    call: (user, of) => user.retention.begin({ ...sweepOf(of), id: ids.next(), unlessAfter: null }),
    gives: noAgent,
  },
  "retention.drop": {
    call: async (user, of) => [
      await user.retention.drop({ ...sweepOf(of), kind: "messages", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "revisions", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "steps", batch: 10 }),
    ],
    gives: noAgent,
  },
  "retention.isOver": {
    call: (user, of) => user.retention.isOver(of.agentId, { rows: 1, megabytes: 1e-6 }),
    gives: false,
  },
  "retention.list": {
    call: async (user, of) => (await user.retention.list(of.agentId, 10)).filter(({ id }) => id === of.sweepId),
    gives: noAgent,
  },
  "synopses.read": { call: (user, of) => user.synopses.read(of.agentId), gives: [] },
  "synopses.memories": {
    call: (user, of) => user.synopses.memories(of.agentId, { limit: 10, characters: 100, now }),
    gives: { memories: [], total: 0 },
  },
  "synopses.claim": {
    call: (user, of) =>
      user.synopses.claim(of.agentId, { claim: ids.next(), parts: ["identity"], now, nextRefreshAt: now, asked: true }),
    gives: noAgent,
  },
  "synopses.save": {
    call: (user, of) => user.synopses.save(of.agentId, ids.next(), [synopsisOf([of.passageId])]),
    gives: "outdated",
  },
  "synopses.release": { call: (user, of) => user.synopses.release(of.agentId, ids.next()), gives: undefined },
  "synopses.clear": { call: (user, of) => user.synopses.clear(of.agentId), gives: 0 },
  "synopses.isShown": { call: (user, of) => user.synopses.isShown(of.conversationId), gives: false },
  "recall.search": {
    call: async (user, of) => [
      await user.recall.search({ agentId: of.agentId, text: secret, ...page }),
      await user.recall.search({ agentId: of.agentId, span: {}, ...page }),
      await user.recall.search({
        agentId: of.agentId,
        text: "unsaid",
        meaning: { vector, embedder: "test", dimensions: 512, floor: 0 },
        ...page,
      }),
    ],
    gives: [nothing, nothing, nothing],
  },
  "recall.conversationsOf": { call: (user, of) => user.recall.conversationsOf([of.messageId]), gives: new Map() },
  "recall.neighbours": {
    call: async (user, of) => [...(await user.recall.neighbours([of.messageId, of.callMessageId], 5)).values()],
    gives: [
      { before: [], after: [] },
      { before: [], after: [] },
    ],
  },
  "recall.withoutVector": {
    call: (user, of) => user.recall.withoutVector(of.agentId, { embedder: "other", dimensions: 512, limit: 10 }),
    gives: [],
  },
  "recall.addVectors": {
    call: (user, of) =>
      user.recall.addVectors(of.agentId, {
        embedder: "other",
        dimensions: 512,
        rows: [{ messageId: of.messageId, vector }],
      }),
    gives: undefined,
  },
  "recall.countWithoutVector": { call: (user) => user.recall.countWithoutVector(everything), gives: [] },
  "passages.add": {
    call: (user, of) =>
      user.passages.add(of.agentId, [{ id: of.passageId, text: "x", tags: [], kind: "fact", at: now }], "user"),
    gives: noAgent,
  },
  "passages.search": {
    call: (user, of) =>
      user.passages.search({
        agentId: of.agentId,
        now,
        text: secret,
        meaning: { vector, embedder: "test", dimensions: 512, floor: 0 },
        ...page,
      }),
    gives: nothing,
  },
  "passages.addOne": {
    call: (user, of) =>
      user.passages.addOne(
        { sourceId: of.sourceId },
        { id: of.passageId, text: "x", tags: [], kind: "fact", at: now },
        "user",
      ),
    gives: "source_not_found",
  },
  "passages.replace": {
    call: (user, of) =>
      user.passages.replace(
        of.agentId,
        { id: of.passageId, text: "x", tags: [], kind: "fact", at: now, replaces: [of.passageId] },
        { origin: "user", forgettings: 0 },
      ),
    gives: "agent_not_found",
  },
  "passages.listOfSource": {
    call: (user, of) => user.passages.listOfSource(of.sourceId, { order: "newest", limit: 10 }),
    gives: [],
  },
  "passages.deleteOfSource": {
    call: (user, of) => user.passages.deleteOfSource(of.sourceId, of.passageId),
    gives: false,
  },
  "passages.list": {
    call: (user, of) => user.passages.list(of.agentId, { order: "newest", limit: 10 }),
    gives: [],
  },
  "passages.count": { call: (user, of) => user.passages.count(of.agentId), gives: 0 },
  "passages.after": { call: (user, of) => user.passages.after(of.agentId, null, 10), gives: [] },
  "passages.idOf": { call: (user, of) => user.passages.idOf(of.agentId, secret), gives: null },
  "passages.idsEnding": {
    call: (user, of) => user.passages.idsEnding(of.agentId, [of.passageId]),
    gives: [],
  },
  "passages.delete": { call: (user, of) => user.passages.delete(of.agentId, of.passageId), gives: false },
  "passages.setTags": {
    call: async (user, of) => [
      await user.passages.setTags({ agentId: of.agentId }, of.passageId, ["intrusion"]),
      await user.passages.setTags({ sourceId: of.sourceId }, of.passageId, ["intrusion"]),
    ],
    gives: [false, false],
  },
  "passages.countAccesses": {
    call: (user, of) => user.passages.countAccesses([of.passageId], now),
    gives: undefined,
  },
  "passages.withoutVector": {
    call: (user, of) => user.passages.withoutVector(of.agentId, { embedder: "other", dimensions: 512, limit: 10 }),
    gives: [],
  },
  "passages.addVectors": {
    call: (user, of) =>
      user.passages.addVectors(of.agentId, {
        embedder: "other",
        dimensions: 512,
        rows: [{ passageId: of.passageId, vector }],
      }),
    gives: undefined,
  },
  "passages.countWithoutVector": {
    call: (user) => user.passages.countWithoutVector(everything),
    gives: [],
  },
  ...inputCases,
  ...approvalCases,
  ...sourceCases,
  ...embedderCases,
  ...nodeMemoryCases,
  ...agentMessageCases,
  ...consolidationCases,
  ...scheduleCases,
  ...moduleCases,
  ...storedToolCases,
  ...mcpServerCases,
  ...identityCases,
  ...keyCases,
  ...transferCases,
  ...turnCases,
  ...forgettingCases,
  "usage.count": {
    call: (user) => user.usage.count(),
    gives: { agents: 1, sharedWith: 0, conversations: 0, messages: 0, passages: 0, sources: 0 },
  },
  "usage.delete": { call: (user) => user.usage.delete(), gives: undefined },
};

/** The functions of a store, `aggregate.name` each. */
function functionsOf(user: UserStore): readonly string[] {
  return Object.entries(user).flatMap(([aggregate, functions]) =>
    Object.entries(typeof functions === "object" ? (functions as object) : {})
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => `${aggregate}.${name}`),
  );
}

/** What the call gives, or the code of its error. */
async function outcomeOf({ call }: PortCase, user: UserStore, of: FilledTalk): Promise<unknown> {
  return call(user, of).catch((error: unknown) => (error as { readonly code: string }).code);
}

describe("a function of the store", () => {
  it("has a case here", () => {
    expect(Object.keys(cases).toSorted()).toEqual(functionsOf(scene.ada).toSorted());
  });

  it.each(Object.keys(cases))("%s returns no data of Ada's to a stranger and changes nothing", async (name) => {
    const before = await rowsOfAda(scene);
    expect(await outcomeOf(cases[name]!, scene.eve, scene.hidden)).toEqual(cases[name]!.gives);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  // Ben's deletion takes Ada's grant to him with it: test/contract/deletion.contract.test.ts.
  const bens = Object.keys(cases).filter((name) => name !== "usage.delete");

  it.each(bens)("%s returns none of Ada's memory with a shared agent to Ben", async (name) => {
    const before = await rowsOfAda(scene);
    const outcome = await outcomeOf(cases[name]!, scene.ben, scene.shared);
    expect(JSON.stringify(outcome) ?? "").not.toContain(secret);
    expect(await rowsOfAda(scene)).toEqual(before);
  });
});
