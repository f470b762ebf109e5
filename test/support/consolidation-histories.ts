// Random histories of an agent's memory in this process: statements, corrections, mails and consolidations by scripted models.
// What must hold afterwards is judged from the seeds alone, not by the code that checks operations.
import {
  checkOperations,
  operationPolicy,
  type OperationPolicy,
  type ProposedOperation,
} from "../../src/memory/consolidation/check-operations.ts";
import { planOperations } from "../../src/memory/consolidation/plan-operations.ts";
import { linesOfModule } from "../../src/memory/consolidation/signals.ts";
import type { ConsolidationOperation, MemoryRow } from "../../src/store/port/consolidation-store.ts";
import type { ModuleRecord } from "../../src/store/port/records.ts";
import type { Trust } from "../../src/base/message/message.ts";

export type Random = () => number;

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

interface StoredPassage extends MemoryRow {
  by: string | null;
}

export interface World {
  readonly random: Random;
  readonly messages: MemoryRow[];
  readonly passages: StoredPassage[];
  modules: ModuleRecord[];
  /** Everything that was entered, with its class. */
  readonly seeds: MemoryRow[];
  /** Texts that a supersede operation has retired. */
  readonly retired: Set<string>;
  readonly policy: OperationPolicy;
  day: number;
}

const newModule = (label: string, limit: number): ModuleRecord => ({
  id: label,
  ownerId: "ada",
  label,
  scope: label === "persona" ? "agent" : "user",
  description: null,
  value: label === "persona" ? "I am Reed. I do not lie" : "",
  limit,
  readOnly: false,
  revision: 0,
  version: 0,
  trust: "user",
  lineTrust: null,
});

export function newWorld(seed: number, policy: OperationPolicy = operationPolicy): World {
  const persona: MemoryRow = {
    kind: "line",
    id: "persona",
    text: "I am Reed. I do not lie",
    trust: "user",
    at: new Date(0),
  };
  return {
    random: randomOf(seed),
    messages: [],
    passages: [],
    modules: [newModule("persona", 200), newModule("human", 130)],
    seeds: [persona],
    retired: new Set(),
    policy,
    day: 1,
  };
}

const names = ["Ada", "Karin", "Tom"];
const cities = ["Rome", "Oslo", "Lisbon"];
const things = ["boat", "flat"];

function sentence(random: Random): string {
  const name = pick(random, names);
  return pick(random, [
    `${name} lives in ${pick(random, cities)}`,
    `${name} eats ${pick(random, ["fish", "bread"])}`,
    `${name} does not eat ${pick(random, ["fish", "bread"])}`,
    `The code of the ${pick(random, things)} is ${Math.floor(random() * 90) + 10}`,
    `The ${pick(random, things)} appointment is on 20${Math.floor(random() * 40) + 10}-05-0${Math.floor(random() * 9) + 1}`,
  ]);
}

const tails = ["", "", ".", " and more", " at 10:00"];

/** One event: someone says something, and it is saved in the archive, in core memory, in both or nowhere. */
export function happen(world: World): void {
  const { random } = world;
  world.day += 1;
  const at = new Date(Date.UTC(2027, 0, world.day));
  const again = world.seeds.length > 0 && random() < 0.4;
  const first = again ? pick(random, world.seeds).text.split(". ")[0]! : sentence(random);
  const text = random() < 0.3 ? `${first}. ${sentence(random)}` : `${first}${pick(random, tails)}`;
  const trust: Trust = pick(random, ["user", "user", "user", "model", "external"]);
  const id = `${world.day}`;
  if (trust === "user") enter(world, { kind: "message", id: `m${id}`, text, trust, at });
  if (random() < 0.6) enter(world, { kind: "passage", id: `p${id}`, text, trust, at });
  if (random() < 0.4) enter(world, { kind: "line", id: "human", text, trust, at });
}

function enter(world: World, row: MemoryRow): void {
  if (row.kind === "message") world.messages.push(row);
  if (row.kind === "passage") {
    if (world.passages.some(({ text }) => text === row.text)) return;
    world.passages.push({ ...row, by: null });
  }
  if (row.kind === "line" && !addLine(world, row)) return;
  world.seeds.push(row);
}

function addLine(world: World, { text, trust }: MemoryRow): boolean {
  const human = world.modules.find(({ label }) => label === "human")!;
  const lines = human.value === "" ? [] : human.value.split("\n");
  if (lines.includes(text) || human.value.length + text.length + 1 > human.limit) return false;
  const classes = lines.map((_line, place) => human.lineTrust?.[place] ?? human.trust);
  const lineTrust = [...classes, trust];
  const order: readonly Trust[] = ["external", "model", "user"];
  const lowest = order.find((one) => lineTrust.includes(one))!;
  world.modules = world.modules.map((module) =>
    module === human
      ? { ...human, value: [...lines, text].join("\n"), lineTrust, trust: lowest, revision: human.revision + 1 }
      : module,
  );
  return true;
}

/** The rows that a run reads. */
export function rowsOf(world: World): readonly MemoryRow[] {
  const modules = world.modules.map((module) => linesOfModule(module, [], new Date(0)));
  return [
    ...modules.flatMap(({ lines }) => lines.map((line) => ({ ...line, at: new Date(0) }))),
    ...world.passages.filter(({ by }) => by === null),
    ...world.messages,
  ];
}

export type ScriptedConsolidator = (world: World, rows: readonly MemoryRow[]) => readonly ProposedOperation[];

/** Runs a consolidator and applies what passes the checks, as a reviewer does who approves everything. */
export function consolidate(world: World, consolidator: ScriptedConsolidator): readonly ConsolidationOperation[] {
  const rows = rowsOf(world);
  const modules = world.modules.map((module) => linesOfModule(module, [], new Date(0)));
  const now = new Date(Date.UTC(2027, 0, world.day));
  const replaced = world.passages.filter(({ by }) => by !== null).map((row) => ({ ...row, isReplaced: true }));
  const known = [...rows, ...replaced];
  const checked = checkOperations(consolidator(world, rows), { rows: known, modules, now }, world.policy);
  const valid = checked.filter(({ status }) => status === "proposed");
  let number = 0;
  const ids = { next: () => `c${world.day}-${(number += 1)}` };
  const plan = planOperations(valid, { rows: known, modules: world.modules, ids, now });
  for (const { id, text, trust = "external" } of plan.passages)
    world.passages.push({ kind: "passage", id, text, trust, at: now, by: null });
  for (const { id, by } of plan.links) world.passages.find((one) => one.id === id)!.by = by;
  world.modules = world.modules.map((module) => {
    const change = plan.changes.find(({ label }) => label === module.label);
    if (change === undefined) return module;
    const { after: value, trust = "external", lineTrust = null } = change;
    return { ...module, value, trust, lineTrust, revision: module.revision + 1 };
  });
  for (const { kind, targets } of valid)
    if (kind === "supersede") for (const { text } of targets) world.retired.add(text);
  return valid;
}

const ranks: readonly Trust[] = ["external", "model", "user"];
const rank = (trust: Trust): number => ranks.indexOf(trust);
const sentencesOf = (text: string): readonly string[] =>
  text
    .replace(/^The user said:/gmu, "")
    .split(/[.\n]/u)
    .map((part) => (part.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" "))
    .filter((part) => part !== "");
const isNegated = (part: string): boolean => / not /u.test(` ${part} `);
const says = (part: string, whole: string): boolean =>
  ` ${whole} `.includes(` ${part} `) && isNegated(part) === isNegated(whole);
const little = new Set(["the", "of", "is", "in", "on", "at", "and", "a", "i", "am", "do", "does", "more"]);

function keepsWords(part: string, whole: string): boolean {
  const words = part.split(" ").filter((word) => !little.has(word));
  let place = 0;
  for (const word of whole.split(" ")) if (word === words[place]) place += 1;
  return place === words.length && isNegated(part) === isNegated(whole);
}

/** What is wrong with memory, judged from the seeds. */
export function faultsOf(world: World): readonly string[] {
  const current = rowsOf(world).filter(({ kind }) => kind !== "message");
  const overfull = world.modules.filter(({ value, limit }) => value.length > limit);
  return [
    ...lostFacts(world, current),
    ...current.flatMap((row) => sentencesOf(row.text).flatMap((part) => faultOfPart(world, row, part))),
    ...overfull.map(({ label }) => `over the limit: ${label}`),
  ];
}

function lostFacts(world: World, current: readonly MemoryRow[]): readonly string[] {
  const stored = world.passages.map(({ text }) => text).flatMap(sentencesOf);
  const held = current.flatMap(({ text }) => sentencesOf(text));
  // A later statement has retired what such a text says, also of texts that were merged into it.
  const retired = [...world.retired].flatMap(sentencesOf);
  const isIn = (known: readonly string[]) => (part: string) => known.some((whole) => keepsWords(part, whole));
  const facts = world.seeds.filter(({ kind }) => kind !== "message").map(({ text }) => text);
  const without = (known: readonly string[]) => facts.filter((text) => !sentencesOf(text).every(isIn(known)));
  return [
    ...without([...held, ...stored]).map((text) => `gone: ${text}`),
    ...without([...held, ...retired]).map((text) => `lost: ${text}`),
  ];
}

function faultOfPart({ seeds }: World, { text, trust }: MemoryRow, part: string): readonly string[] {
  const sources = seeds.filter((seed) => sentencesOf(seed.text).some((whole) => says(part, whole)));
  if (sources.length === 0) return [`unsupported: ${text}`];
  return sources.some((seed) => rank(seed.trust) >= rank(trust)) ? [] : [`promoted: ${text}`];
}

/** What is wrong with operations that were applied on these rows. */
export const faultsOfApplied = (
  applied: readonly ConsolidationOperation[],
  rows: readonly MemoryRow[],
): readonly string[] => applied.flatMap((operation) => faultsOfOne(operation, rows));

const lengthOf = (list: readonly string[]): number => list.join("").length;

function faultsOfOne(operation: ConsolidationOperation, rows: readonly MemoryRow[]): readonly string[] {
  const { kind, targets, texts, evidence, trust } = operation;
  const find = ({ kind: of, id }: { readonly kind: string; readonly id: string }, has: (text: string) => boolean) =>
    rows.find((row) => row.kind === of && row.id === id && has(row.text));
  const held = targets.map((target) => find(target, (text) => text === target.text));
  const cited = evidence.map((one) => find(one, (text) => text.includes(one.quote)));
  const kept = rows.find((row) => row.kind === targets[0]?.kind && row.text === texts[0]);
  const later = (kept === undefined ? cited.filter((row) => !held.includes(row)) : [kept]).map(timeOf);
  const allowed = lengthOf(targets.map(({ text }) => text)) + lengthOf(evidence.map(({ quote }) => quote)) + 20;
  const isReplacing = kind === "merge" || kind === "supersede" || kind === "split";
  const own = rank((kind === "split" ? undefined : kept)?.trust ?? trust);
  const faults: readonly (readonly [boolean, string])[] = [
    [held.includes(undefined), "a target that does not exist"],
    [cited.includes(undefined), "a quote that does not occur"],
    [kind === "supersede" && Math.min(...later) <= Math.max(...held.map(timeOf)), "an earlier successor"],
    [isReplacing && held.some((row) => row !== undefined && rank(row.trust) > own), "a successor of a lower class"],
    [kept === undefined && lengthOf(texts) > allowed, "memory that grows"],
  ];
  return faults.filter(([isFault]) => isFault).map(([, text]) => text);
}

function timeOf(row: MemoryRow | undefined): number {
  return row?.at.getTime() ?? 0;
}
