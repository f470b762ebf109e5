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
import { recordCases } from "../support/isolation-record-cases.ts";
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
  "modules.list": [(user, of) => user.modules.list(of.agentId), noAgent],
  "modules.addMissing": [
    (user, of) => user.modules.addMissing(of.agentId, [{ ...human, label: "new", scope: "agent" }]),
    noAgent,
  ],
  "modules.change": [(user, of) => user.modules.change(of.agentId, [change], cause), noAgent],
  "modules.revisions": [(user, of) => user.modules.revisions(of.agentId, { limit: 10 }), noAgent],
  "modules.madeBy": [(user, of) => user.modules.madeBy(of.agentId, [of.callMessageId]), noAgent],
  "openings.read": [
    async (user, of) => {
      const request = { agent: of.agentId, conversation: { id: of.conversationId }, maxSamples: 10 };
      const opening = await user.openings.read(request);
      return opening === null ? null : { ...opening, agent: null };
    },
    null,
  ],
  "openings.searchable": [(user, of) => user.openings.searchable(of.agentId, of.conversationId), nothingSearchable],
  "compactions.add": [
    (user, of) => user.compactions.add(of.lease, [newCompaction({ throughId: of.messageId, throughPosition: 1 })]),
    noConversation,
  ],
  "compactions.undo": [(user, of) => user.compactions.undo(of.lease), noConversation],
  "compactions.list": [(user, of) => user.compactions.list(of.conversationId, 10), noConversation],
  "compactions.messages": [
    (user, of) => user.compactions.messages(of.conversationId, { fromPosition: 1, throughPosition: 1000 }),
    noConversation,
  ],
  "leases.take": [
    (user, of) => user.leases.take({ conversationId: of.conversationId, claimant: "intruder", ttlMs }),
    noConversation,
  ],
  "leases.renew": [(user, of) => user.leases.renew(of.lease, ttlMs), "lease_lost"],
  "leases.stop": [(user, of) => user.leases.stop(of.conversationId), false],
  "leases.isStopped": [(user, of) => user.leases.isStopped(of.lease), false],
  "leases.release": [(user, of) => user.leases.release(of.lease), undefined],
  "events.append": [
    (user, of) => user.events.append(of.lease, { turnId: of.turnId, first: 2, last: 2, events: "[]" }),
    undefined,
  ],
  "events.read": [(user, of) => user.events.read(of.conversationId, of.turnId, { after: 0 }), noConversation],
  "events.last": [(user, of) => user.events.last(of.turnId), 0],
  "events.turnOf": [(user, of) => user.events.turnOf(of.conversationId, `key of ${secret}`), null],
  "events.expire": [(user) => user.events.expire(0), undefined],
  "steps.list": [(user, of) => user.steps.list(of.conversationId, 10), noConversation],
  "steps.find": [(user, of) => user.steps.find(of.conversationId, 1), noConversation],
  "turns.begin": [
    (user, of) =>
      user.turns.begin(beginning(of, { leafId: of.messageId, messages: [reply(of)], key: `key of ${secret}` })),
    noConversation,
  ],
  "turns.commitReply": [
    (user, of) => user.turns.commitReply({ ...of, message: reply(of), step: newStep(ids.next()) }),
    noConversation,
  ],
  "turns.commitToolResult": [
    (user, of) =>
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
    noConversation,
  ],
  "turns.append": [(user, of) => user.turns.append(of.lease, [reply(of)]), noConversation],
  "turns.commitMemory": [
    (user, of) => user.turns.commitMemory({ ...of, messageId: of.callMessageId, changes: [change], trust: "model" }),
    noConversation,
  ],
  "steps.usageSamples": [(user) => user.steps.usageSamples("demo", 20), []],
  "steps.usageSince": [(user) => user.steps.usageSince(new Date(0)), []],
  "attachments.reserve": [
    (user, of) => user.attachments.reserve(of.conversationId, "database", [newFile("intrusion")]),
    noConversation,
  ],
  "attachments.markStored": [(user, of) => user.attachments.markStored([of.attachmentId]), undefined],
  "attachments.objectOf": [(user, of) => user.attachments.objectOf(of.attachmentId), null],
  "attachments.discard": [(user, of) => user.attachments.discard([of.attachmentId]), undefined],
  "attachments.dueDeletions": [
    async (user, of) =>
      (await user.attachments.dueDeletions("elsewhere")).filter(({ objectKey }) => objectKey === of.objectKey),
    [],
  ],
  "attachments.deletionDone": [
    (user, of) => user.attachments.deletionDone({ place: "elsewhere", objectKey: of.objectKey }),
    undefined,
  ],
  "attachments.count": [async (user) => (await user.attachments.count()).missing, 0],
  "attachments.filesOf": [(user, of) => user.attachments.filesOf([of.attachmentId]), []],
  "objects.create": [(user, of) => user.objects.create(`${of.objectKey}-intrusion`, Buffer.from("intrusion")), true],
  "objects.get": [(user, of) => user.objects.get(of.objectKey), null],
  "objects.delete": [(user, of) => user.objects.delete(of.objectKey), undefined],
  "retention.begin": [
    (user, of) => user.retention.begin({ ...sweepOf(of), id: ids.next(), unlessAfter: null }),
    noAgent,
  ],
  "retention.drop": [
    async (user, of) => [
      await user.retention.drop({ ...sweepOf(of), kind: "messages", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "revisions", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "steps", batch: 10 }),
    ],
    noAgent,
  ],
  "retention.isOver": [(user, of) => user.retention.isOver(of.agentId, { rows: 1, megabytes: 1e-6 }), false],
  "retention.list": [
    async (user, of) => (await user.retention.list(of.agentId, 10)).filter(({ id }) => id === of.sweepId),
    noAgent,
  ],
  "synopses.read": [(user, of) => user.synopses.read(of.agentId), []],
  "synopses.memories": [
    (user, of) => user.synopses.memories(of.agentId, { limit: 10, characters: 100, now }),
    { memories: [], total: 0 },
  ],
  "synopses.claim": [
    (user, of) =>
      user.synopses.claim(of.agentId, { claim: ids.next(), parts: ["identity"], now, nextRefreshAt: now, asked: true }),
    noAgent,
  ],
  "synopses.save": [(user, of) => user.synopses.save(of.agentId, ids.next(), [synopsisOf([of.passageId])]), "outdated"],
  "synopses.release": [(user, of) => user.synopses.release(of.agentId, ids.next()), undefined],
  "synopses.clear": [(user, of) => user.synopses.clear(of.agentId), 0],
  "synopses.isShown": [(user, of) => user.synopses.isShown(of.conversationId), false],
  "recall.search": [
    async (user, of) => [
      await user.recall.search({ agentId: of.agentId, text: secret, ...page }),
      await user.recall.search({ agentId: of.agentId, span: {}, ...page }),
      await user.recall.search({
        agentId: of.agentId,
        text: "unsaid",
        meaning: { vector, embedder: "test", dimensions: 512, floor: 0 },
        ...page,
      }),
    ],
    [nothing, nothing, nothing],
  ],
  "recall.conversationsOf": [(user, of) => user.recall.conversationsOf([of.messageId]), new Map()],
  "recall.neighbours": [
    async (user, of) => [...(await user.recall.neighbours([of.messageId, of.callMessageId], 5)).values()],
    [
      { before: [], after: [] },
      { before: [], after: [] },
    ],
  ],
  "recall.withoutVector": [
    (user, of) => user.recall.withoutVector(of.agentId, { embedder: "other", dimensions: 512, limit: 10 }),
    [],
  ],
  "recall.addVectors": [
    (user, of) =>
      user.recall.addVectors(of.agentId, {
        embedder: "other",
        dimensions: 512,
        rows: [{ messageId: of.messageId, vector }],
      }),
    undefined,
  ],
  "recall.countWithoutVector": [(user) => user.recall.countWithoutVector(everything), []],
  "passages.add": [
    (user, of) =>
      user.passages.add(of.agentId, [{ id: of.passageId, text: "x", tags: [], kind: "fact", at: now }], "user"),
    noAgent,
  ],
  "passages.search": [
    (user, of) =>
      user.passages.search({
        agentId: of.agentId,
        now,
        text: secret,
        meaning: { vector, embedder: "test", dimensions: 512, floor: 0 },
        ...page,
      }),
    nothing,
  ],
  "passages.addOne": [
    (user, of) =>
      user.passages.addOne(
        { sourceId: of.sourceId },
        { id: of.passageId, text: "x", tags: [], kind: "fact", at: now },
        "user",
      ),
    "source_not_found",
  ],
  "passages.replace": [
    (user, of) =>
      user.passages.replace(
        of.agentId,
        { id: of.passageId, text: "x", tags: [], kind: "fact", at: now, replaces: [of.passageId] },
        { origin: "user", forgettings: 0 },
      ),
    "agent_not_found",
  ],
  "passages.listOfSource": [(user, of) => user.passages.listOfSource(of.sourceId, { order: "newest", limit: 10 }), []],
  "passages.deleteOfSource": [(user, of) => user.passages.deleteOfSource(of.sourceId, of.passageId), false],
  "passages.list": [(user, of) => user.passages.list(of.agentId, { order: "newest", limit: 10 }), []],
  "passages.count": [(user, of) => user.passages.count(of.agentId), 0],
  "passages.after": [(user, of) => user.passages.after(of.agentId, null, 10), []],
  "passages.idOf": [(user, of) => user.passages.idOf(of.agentId, secret), null],
  "passages.idsEnding": [(user, of) => user.passages.idsEnding(of.agentId, [of.passageId]), []],
  "passages.delete": [(user, of) => user.passages.delete(of.agentId, of.passageId), false],
  "passages.setTags": [
    async (user, of) => [
      await user.passages.setTags({ agentId: of.agentId }, of.passageId, ["intrusion"]),
      await user.passages.setTags({ sourceId: of.sourceId }, of.passageId, ["intrusion"]),
    ],
    [false, false],
  ],
  "passages.countAccesses": [(user, of) => user.passages.countAccesses([of.passageId], now), undefined],
  "passages.withoutVector": [
    (user, of) => user.passages.withoutVector(of.agentId, { embedder: "other", dimensions: 512, limit: 10 }),
    [],
  ],
  "passages.addVectors": [
    (user, of) =>
      user.passages.addVectors(of.agentId, {
        embedder: "other",
        dimensions: 512,
        rows: [{ passageId: of.passageId, vector }],
      }),
    undefined,
  ],
  "passages.countWithoutVector": [(user) => user.passages.countWithoutVector(everything), []],
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
  ...recordCases,
  ...keyCases,
  ...transferCases,
  ...turnCases,
  ...forgettingCases,
  "usage.count": [
    (user) => user.usage.count(),
    { agents: 1, sharedWith: 0, conversations: 0, messages: 0, passages: 0, sources: 0 },
  ],
  "usage.delete": [(user) => user.usage.delete(), undefined],
};

/** The functions of a store, `aggregate.name` each. */
const functionsOf = (user: UserStore): readonly string[] =>
  Object.entries(user).flatMap(([aggregate, functions]) =>
    Object.entries(typeof functions === "object" ? (functions as object) : {})
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => `${aggregate}.${name}`),
  );

/** What the call gives, or the code of its error. */
const outcomeOf = async ([call]: PortCase, user: UserStore, of: FilledTalk): Promise<unknown> =>
  call(user, of).catch((error: unknown) => (error as { readonly code: string }).code);

describe("a function of the store", () => {
  it("has a case here", () => {
    expect(Object.keys(cases).toSorted()).toEqual(functionsOf(scene.ada).toSorted());
  });

  it.each(Object.keys(cases))("%s returns no data of Ada's to a stranger and changes nothing", async (name) => {
    const before = await rowsOfAda(scene);
    expect(await outcomeOf(cases[name]!, scene.eve, scene.hidden)).toEqual(cases[name]![1]);
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
