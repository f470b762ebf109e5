// The consolidations of a fake runtime: by default one run that waits for review; and a record of the calls.
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { noUsage } from "../../src/base/message/message.ts";

type Consolidations = UserRuntime["consolidation"];
type Run = Awaited<ReturnType<Consolidations["find"]>>;

export const consolidation: Run = {
  id: "0190f0aa-0000-7000-8000-0000000000c0",
  agentId: "0190f0aa-0000-7000-8000-000000000001",
  status: "proposed",
  signals: { similar: 1, full: 0, expired: 0, unsaved: 0 },
  operations: [
    {
      kind: "merge",
      status: "proposed",
      reason: "Both say the same.",
      targets: [
        { kind: "passage", id: "0190f0aa-0000-7000-8000-0000000000d1", text: "Likes tea" },
        { kind: "passage", id: "0190f0aa-0000-7000-8000-0000000000d2", text: "Likes tea." },
      ],
      texts: ["Likes tea."],
      module: null,
      evidence: [{ kind: "passage", id: "0190f0aa-0000-7000-8000-0000000000d1", quote: "tea" }],
      trust: "user",
      needsReview: false,
      why: null,
      replaced: [],
    },
  ],
  reason: null,
  model: "scripted",
  usage: noUsage,
  dollars: null,
  createdAt: new Date("2026-11-22T09:00:00Z"),
  endedAt: new Date("2026-11-22T09:00:05Z"),
};

export function fakeConsolidations(
  calls: [string, ...unknown[]][],
  runs: readonly Run[] = [consolidation],
): Consolidations {
  const called = (name: string, ...args: readonly unknown[]) => {
    calls.push([`consolidation.${name}`, ...args]);
    return consolidation;
  };
  return {
    run: async (agent) => called("run", agent),
    list: async (_agent, limit = 20) => runs.slice(0, limit),
    find: async (id) => called("find", id),
    apply: async (id, options) => called("apply", id, options),
    reject: async (id, options) => called("reject", id, options),
    undo: async (id) => called("undo", id),
  };
}
