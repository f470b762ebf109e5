// Windows as segments to draw, and core memory at an earlier step.
import type { ContextReport } from "../../../src/store/port/context-report.ts";
import type { CoreModule } from "../../../src/surfaces/inspector/memory/core-module.ts";
import type { Revision } from "../../../src/surfaces/inspector/memory/revision-author.ts";
import { cachedShare, segmentsOf } from "../../../src/surfaces/inspector/window/window-segments.ts";
import { memoryAt } from "../../../src/surfaces/inspector/window/memory-at.ts";

const report = (changes: object = {}): ContextReport => ({
  layout: "stable",
  total: 600,
  demand: 600,
  window: 1000,
  reserve: 100,
  counted: 600,
  factor: 1,
  tiers: {
    system: { tokens: 300, granted: 900, parts: { tools: 200, instructions: 0, coreMemory: 100 } },
    working: { tokens: 200, granted: 900, parts: { turn: 200 } },
    archive: { tokens: 100, granted: 900, parts: { summaries: 100 } },
  },
  leftOut: [],
  compacted: { messages: 0, summaries: 0 },
  overflow: null,
  ...changes,
});

test("segments are in the order of the request, and together the whole window", () => {
  const segments = segmentsOf(report());
  expect(segments.map(({ part, tier, tokens }) => [part, tier, tokens])).toEqual([
    ["tools", "system", 200],
    ["coreMemory", "system", 100],
    ["summaries", "archive", 100],
    ["turn", "working", 200],
    ["free", null, 300],
    ["reply", null, 100],
  ]);
  expect(segments.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("a request that is larger than the window fills it", () => {
  const segments = segmentsOf(report({ total: 1500, window: 400, reserve: 0 }));
  expect(segments.some(({ part }) => part === "free")).toBe(false);
  expect(segments.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("the cached share of what the provider reported", () => {
  expect(cachedShare({ inputTokens: 200, cachedInputTokens: 50 })).toBe(0.25);
  expect(cachedShare({ inputTokens: 0, cachedInputTokens: 0 })).toBeNull();
  expect(cachedShare({})).toBeNull();
});

test("core memory at a moment is the text before the first revision after it", () => {
  const modules = [
    { label: "human", value: "c" },
    { label: "persona", value: "p" },
  ] as unknown as readonly CoreModule[];
  const revisions = [
    { label: "human", before: "b", after: "c", at: "2026-11-25T12:00:00Z" },
    { label: "human", before: "a", after: "b", at: "2026-11-25T11:00:00Z" },
    { label: "human", before: "", after: "a", at: "2026-11-25T10:00:00Z" },
  ] as unknown as readonly Revision[];
  expect(memoryAt(modules, revisions, "2026-11-25T10:30:00Z")).toEqual([
    { label: "human", text: "a", isChangedSince: true },
    { label: "persona", text: "p", isChangedSince: false },
  ]);
  expect(memoryAt(modules, revisions, "2026-11-25T12:00:00Z")[0]).toEqual({
    label: "human",
    text: "c",
    isChangedSince: false,
  });
});
