// Random histories with consolidators that tidy, lie and inject: no fact is lost, no line is unsupported, no class rises. Each check
// that is switched off breaks one of these. CONSOLIDATION_TRIALS sets the number of histories.
import {
  operationPolicy,
  type OperationPolicy,
  type OperationRules,
} from "../../../src/memory/consolidation/check-operations.ts";
import {
  consolidate,
  faultsOf,
  faultsOfApplied,
  happen,
  newWorld,
  pick,
  rowsOf,
} from "../../support/consolidation-histories.ts";
import { consolidators } from "../../support/scripted-consolidators.ts";

const trials = Number(process.env["CONSOLIDATION_TRIALS"] ?? 30);
const scripts = Object.values(consolidators);

interface Outcome {
  readonly faults: readonly string[];
  readonly applied: number;
}

/** A history with this seed, up to the first fault. */
function play(seed: number, policy?: OperationPolicy): Outcome {
  const world = newWorld(seed, policy);
  let applied = 0;
  for (let step = 0; step < 30; step += 1) {
    happen(world);
    if (world.random() > 0.3) continue;
    const rows = rowsOf(world);
    const done = consolidate(world, pick(world.random, scripts));
    applied += done.length;
    const faults = [...faultsOfApplied(done, rows), ...faultsOf(world)];
    if (faults.length > 0) return { faults: faults.map((fault) => `history ${seed}, step ${step}: ${fault}`), applied };
  }
  return { faults: [], applied };
}

it(`loses no fact, adds no unsupported line and raises no class in ${trials} histories`, () => {
  const outcomes = Array.from({ length: trials }, (_, seed) => play(seed));
  expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
  // The consolidators do something.
  expect(outcomes.reduce((sum, { applied }) => sum + applied, 0)).toBeGreaterThan(trials);
});

/** Plays histories until one has a fault; null if none has. */
function firstFault(policy: OperationPolicy): string | null {
  for (let seed = 0; seed < 400; seed += 1) {
    try {
      const [fault] = play(seed, policy).faults;
      if (fault !== undefined) return fault;
    } catch (error) {
      return String(error);
    }
  }
  return null;
}

const names = Object.keys(operationPolicy.rules) as (keyof OperationRules)[];

it.each(names)("without the check of %s, something breaks", (name) => {
  const rules = { ...operationPolicy.rules, [name]: () => null };
  const fault = firstFault({ ...operationPolicy, rules });
  if (process.env["CONSOLIDATION_TABLE"] !== undefined) console.log(`${name}: ${fault}`);
  expect(fault).not.toBeNull();
});

it("without the classes of new texts, something breaks", () => {
  expect(firstFault({ ...operationPolicy, classOf: () => "user" })).not.toBeNull();
});

const same = (text: string) => text.toLowerCase().replace(/\.+$/u, "");

it("changes without a review only exact duplicates and lines that are over, and never those from elsewhere or of the persona", () => {
  const changed = Array.from({ length: trials }, (_, seed) => {
    const world = newWorld(seed);
    for (let step = 0; step < 20; step += 1) happen(world);
    const rows = rowsOf(world);
    return consolidate(world, pick(world.random, scripts))
      .filter(({ needsReview }) => !needsReview)
      .map((operation) => ({ ...operation, rows }));
  }).flat();
  for (const { kind, targets, texts, rows } of changed) {
    expect(["merge", "move-to-archive"]).toContain(kind);
    expect(targets.filter(({ text }) => kind === "merge" && same(text) !== same(texts[0]!))).toEqual([]);
    const isOf = (row: { readonly id: string; readonly text: string }) =>
      targets.some(({ id, text }) => id === row.id && text === row.text);
    expect(rows.filter((row) => isOf(row) && (row.trust === "external" || row.id === "persona"))).toEqual([]);
  }
  expect(changed.length).toBeGreaterThan(0);
});
