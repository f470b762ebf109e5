// Which tier gives way first in a short budget: the one with the larger priority, as the three-buffer architecture numbers them.
import { compileContext } from "../../../src/context/window/compile-context.ts";
import { defaultTiers, type TierSettings } from "../../../src/store/port/context-report.ts";
import { storedMessage } from "../../support/messages.ts";
import { windowBudget, windowState } from "../../support/window-state.ts";

const summary = "s".repeat(600);
const turns = Array.from({ length: 4 }, (_, at) => {
  const content = [{ type: "text" as const, text: `${at}`.repeat(200) }];
  return storedMessage({ turnId: `${at}`, role: "user", content, tokens: 204 });
});
const state = windowState({ messages: turns, turnId: "3", summaries: [{ text: summary, throughPosition: 7 }] });

const ordered = (working: number | undefined, archive: number | undefined, minimum = 0): TierSettings => ({
  system: { minimum: 0, maximum: 1 },
  working: { minimum: 0, maximum: 1, ...(working === undefined ? {} : { priority: working }) },
  archive: { minimum, maximum: 1, ...(archive === undefined ? {} : { priority: archive }) },
});

const compile = (tiers: TierSettings, window: number, recentTurns = 2) =>
  compileContext(state, windowBudget({ tiers, window, recentTurns }));

const { tiers: whole } = compile(ordered(2, 3), 1e6).report;
const { turn = 0, recentTurns = 0 } = whole.working.parts;
const { summaries = 0 } = whole.archive.parts;
/** Room for the system tier, the running turn, and the summary or the last turns. */
const short = whole.system.tokens + turn + summaries;

/** What is left of the summary, and the turns that are in the window. */
function shown({ messages, report }: ReturnType<typeof compile>) {
  const text = JSON.stringify(messages);
  const kept = turns.flatMap(({ turnId }) => (text.includes(turnId.repeat(200)) ? [turnId] : []));
  return { summaries: report.compacted.summaries, kept };
}

test("the tier with the larger priority shrinks first", () => {
  expect(summaries).toBeGreaterThan(recentTurns);
  expect(shown(compile(ordered(1, 2), short))).toEqual({ summaries: 0, kept: ["0", "1", "2", "3"] });
  expect(shown(compile(ordered(2, 1), short))).toEqual({ summaries: 1, kept: ["3"] });
});

test.each<[string, TierSettings]>([
  ["the defaults", { ...defaultTiers, archive: { ...defaultTiers.archive, minimum: 0 } }],
  ["none given", ordered(undefined, undefined)],
  ["equal ones", ordered(5, 5)],
])("with %s, the archive shrinks before the last turns", (_name, tiers) => {
  for (const window of [short - 100, short, short + 100, short + 300, short + 500]) {
    expect(compile(tiers, window)).toEqual(compile(ordered(1, 2), window));
  }
});

test("one priority is compared with the default of the other", () => {
  expect(shown(compile(ordered(undefined, 1), short)).summaries).toBe(1);
  expect(shown(compile(ordered(4, undefined), short)).summaries).toBe(1);
});

test("older turns leave before the last turns in either order, so that there are no gaps", () => {
  for (const window of [short, short + 204, short + 2 * 204, short + 3 * 204]) {
    const { kept } = shown(compile(ordered(2, 1), window));
    const fitting = 1 + Math.floor((window - short) / 204);
    expect(kept).toEqual(["0", "1", "2", "3"].slice(-fitting));
  }
});

test("a tier's minimum is reserved, whatever the priorities", () => {
  const window = short + recentTurns - 1;
  const share = (summaries + 1) / window;
  expect(shown(compile(ordered(1, 2, share), window)).summaries).toBe(1);
  const tiers = ordered(2, 1);
  const working = { ...tiers.working, minimum: (turn + recentTurns + 1) / window };
  expect(shown(compile({ ...tiers, working }, window)).kept).toEqual(expect.arrayContaining(["1", "2", "3"]));
});

test("the running turn stays when the archive outranks the working tier", () => {
  const window = whole.system.tokens + turn;
  const { report, messages } = compile(ordered(2, 1), window);
  expect(report.overflow).toBeNull();
  expect(JSON.stringify(messages)).toContain("3".repeat(200));
  expect(report.total).toBeLessThanOrEqual(window);
});
