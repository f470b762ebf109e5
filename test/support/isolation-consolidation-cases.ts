// Every function of a user's store for consolidations, called by somebody else with this user's ids.
import type { ConsolidationCommit, ConsolidationOperation } from "../../src/store/port/consolidation-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import type { FilledTalk } from "./isolation-scene.ts";
import { ids, type Talk } from "./store-builders.ts";

const lowest = "00000000-0000-0000-0000-000000000000";
const createdAt = new Date("2026-11-21T09:00:00Z");
const ranges = { message: lowest, passage: lowest, modules: {} };
const signals = { similar: 1, full: 0, expired: 0, unsaved: 0 };

const newRun = (agentId: string) => ({
  id: ids.next(),
  agentId,
  signals,
  model: "test",
  createdAt,
  ranges,
  after: null,
  forgettings: 0,
  claimedUntil: new Date("2026-11-21T10:00:00Z"),
  unlessTurn: false,
});

/** A completed run with an operation that cites the passage. */
export async function fillConsolidation(
  { user, agentId }: Talk,
  { passageId, text }: { readonly passageId: string; readonly text: string },
): Promise<string> {
  const run = newRun(agentId);
  await user.consolidations.begin(run);
  const begun = (await user.consolidations.find(run.id))!;
  const operation: ConsolidationOperation = {
    kind: "split",
    status: "proposed",
    reason: text,
    targets: [{ kind: "passage", id: passageId, text }],
    texts: [text],
    module: null,
    evidence: [{ kind: "passage", id: passageId, quote: text }],
    trust: "user",
    needsReview: true,
    why: null,
    replaced: [],
  };
  const next = { status: "proposed", operations: [operation], reason: text, endedAt: createdAt } as const;
  await user.consolidations.commit({ ...noEffect, run: begun, next });
  return run.id;
}

const noEffect: Pick<ConsolidationCommit, "changes" | "cause" | "passages" | "links" | "kept" | "undone"> = {
  changes: [],
  cause: { origin: "user" },
  passages: [],
  links: [],
  kept: [],
  undone: null,
};

const wanted = ({ passageId, messageId }: FilledTalk) => ({
  passages: [passageId],
  texts: ["ada's secret"],
  messages: [messageId],
  from: [passageId],
});

export const consolidationCases: Readonly<Record<string, PortCase>> = {
  "consolidations.news": [
    async (user, of) => {
      const { passages, messages } = await user.consolidations.news(of.agentId, ranges, 10);
      return [...passages, ...messages].filter(({ id }) => id === of.passageId || id === of.messageId);
    },
    [],
  ],
  "consolidations.rows": [(user, of) => user.consolidations.rows(of.agentId, wanted(of)), []],
  "consolidations.begin": [(user, of) => user.consolidations.begin(newRun(of.agentId)), "agent_not_found"],
  "consolidations.find": [(user, of) => user.consolidations.find(of.consolidationId), null],
  "consolidations.last": [
    async (user, of) => (await user.consolidations.last(of.agentId))?.id === of.consolidationId,
    false,
  ],
  "consolidations.list": [
    async (user, of) => (await user.consolidations.list(of.agentId, 10)).filter(({ id }) => id === of.consolidationId),
    [],
  ],
  "consolidations.commit": [
    (user, of) =>
      user.consolidations.commit({
        ...noEffect,
        run: { id: of.consolidationId, agentId: of.agentId, status: "proposed", version: "" },
        next: { status: "rejected", operations: [] },
      }),
    "agent_not_found",
  ],
};
