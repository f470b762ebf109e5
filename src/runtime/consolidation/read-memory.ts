// Reads the memory for a consolidation: rows that are new since the last run, passages that are similar to new rows,
// and the rows that operations name.
// Invariant: the returned ranges end at the last row that was read, so that no row is left out between two runs, except
// rows that are too long for any request.
import { RequestError } from "../../base/errors.ts";
import { parseStructure } from "../../base/json-values.ts";
import { appendAll } from "../../base/lists.ts";
import { forgottenMark } from "../../base/redactor.ts";
import {
  archivedTexts,
  type CheckedMemory,
  keyOf,
  type ProposedOperation,
} from "../../memory/consolidation/check-operations.ts";
import { states } from "../../memory/consolidation/excerpts.ts";
import { type NamedRow, nameRows, rowLine } from "../../memory/consolidation/request-rows.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { scratchpadLabel } from "../../memory/core/scratchpad-state.ts";
import { isSimilar, linesOfModule, type ModuleLines, signalsOf } from "../../memory/consolidation/signals.ts";
import type {
  ConsolidationRanges,
  ConsolidationSignals,
  MemoryRow,
  StoredConsolidation,
} from "../../store/port/consolidation-store.ts";
import type { ModuleRecord } from "../../store/port/records.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type ReadDeps = Pick<OperationDeps, "store" | "clock">;

/** Maximum revisions that are read for the times of lines, new rows of each kind in a run, and passages similar to a row. */
const maxRevisions = 1000;
const maxNew = 200;
const maxNeighbours = 3;
const lowestId = "00000000-0000-0000-0000-000000000000";

/** A new row, and the rows that are read because of it, including the new row. */
interface RowGroup {
  readonly row: MemoryRow;
  readonly rows: readonly MemoryRow[];
}

export interface ConsolidationNews {
  readonly signals: ConsolidationSignals;
  readonly last: StoredConsolidation | null;
  /** Number of applied forgettings before anything was read. */
  readonly forgettings: number;
  readonly modules: readonly ModuleLines[];
  /** The new messages, each with the passages that are similar to it. */
  readonly messages: readonly RowGroup[];
  /** The new passages that are similar to other passages, each with the similar passages and the source messages of all. */
  readonly passages: readonly RowGroup[];
  /** The last passage and the last message that were read, and the revision of each module. */
  readonly end: ConsolidationRanges;
}

/** Returns what is new since the last run; null if there is no signal for a run. */
export async function readNews(deps: ReadDeps, agentId: string): Promise<ConsolidationNews | null> {
  const { consolidations, forgetting } = deps.store;
  const forgettings = await forgetting.count();
  const last = await consolidations.last(agentId);
  const before = last?.ranges ?? { passage: lowestId, message: lowestId, modules: {} };
  const { passages, messages: all } = await consolidations.news(agentId, before, maxNew);
  const messages = all.filter(({ text }) => text !== forgottenMark);
  const modules = await ownModules(deps, agentId);
  const found = (await withNeighbours(deps, agentId, passages)).filter(({ rows }) => rows.length > 1);
  const similar = found.map(({ row }) => row);
  const since = last?.createdAt ?? null;
  const signals = signalsOf({ modules, similar, messages, before, since, now: deps.clock.now() });
  if (signals === null) return null;
  const groups = await Promise.all(
    found.map(async ({ row, rows }) => ({ row, rows: [...rows, ...(await saidFor(deps, agentId, rows))] })),
  );
  // No passages are read for a message that states nothing, because `chooseRows` skips it.
  const said: RowGroup[] = [];
  for (const row of messages)
    appendAll(said, states(row.text) ? await withNeighbours(deps, agentId, [row]) : [{ row, rows: [row] }]);
  const end = {
    passage: passages.at(-1)?.id ?? before.passage,
    message: all.at(-1)?.id ?? before.message,
    modules: Object.fromEntries(modules.map(({ label, revision }) => [label, revision])),
  };
  return { signals, last, forgettings, modules, messages: said, passages: groups, end };
}

/** Returns rows, each with the passages that are similar to it. */
async function withNeighbours(
  deps: ReadDeps,
  agentId: string,
  rows: readonly MemoryRow[],
): Promise<readonly RowGroup[]> {
  const groups: RowGroup[] = [];
  for (const row of rows) groups.push({ row, rows: [row, ...(await neighboursOf(deps, agentId, row))] });
  return groups;
}

/** Returns the user's messages that passages come from. */
async function saidFor(
  { store }: ReadDeps,
  agentId: string,
  rows: readonly MemoryRow[],
): Promise<readonly MemoryRow[]> {
  const from = rows.map(({ id }) => id);
  return store.consolidations.rows(agentId, { passages: [], texts: [], messages: [], from });
}

/** Returns the modules that belong to the user and consist of lines, with their lines. */
async function ownModules({ store, clock }: ReadDeps, agentId: string): Promise<readonly ModuleLines[]> {
  const modules = (await store.modules.list(agentId)).filter(
    (module) => module.ownerId === store.userId && hasLines(module),
  );
  const revisions = await store.modules.revisions(agentId, { limit: maxRevisions });
  return modules.map((module) => linesOfModule(module, revisions, clock.now()));
}

/**
 * Returns whether each line of a module can be changed alone: false for skills, for scratchpads (even empty) and other JSON.
 */
function hasLines({ label, value }: Pick<ModuleRecord, "label" | "value">): boolean {
  return skillOfLabel(label) === null && label !== scratchpadLabel && parseStructure(value) === undefined;
}

async function neighboursOf(
  { store, clock }: ReadDeps,
  agentId: string,
  { id, text }: Pick<MemoryRow, "id" | "text">,
): Promise<readonly MemoryRow[]> {
  // Quotes are removed, because the search would look for a text in quotes literally.
  const words = text.replaceAll('"', " ").slice(0, 1000);
  const query = { agentId, text: words, meaning: null, now: clock.now(), page: 0, pageSize: maxNeighbours + 1 };
  const { rows } = await store.passages.search(query);
  return rows
    .filter((hit) => hit.id !== id && hit.source === null && hit.replacedBy === undefined && isSimilar(hit.text, text))
    .map((hit) => ({ kind: "passage", id: hit.id, text: hit.text, trust: hit.trust, at: hit.at }));
}

/** Returns the passages that are similar to the texts that operations add. */
export async function passagesLike(
  deps: ReadDeps,
  agentId: string,
  operations: readonly ProposedOperation[],
): Promise<readonly MemoryRow[]> {
  const added = operations.flatMap(({ kind, texts }) => (kind === "add" ? texts : []));
  const found: MemoryRow[] = [];
  for (const text of added) appendAll(found, await neighboursOf(deps, agentId, { id: "", text }));
  return found;
}

const rowKinds: readonly MemoryRow["kind"][] = ["line", "passage", "message"];

export interface ChosenRows {
  /** Lines in their order, then passages and messages, both oldest first. */
  readonly rows: readonly NamedRow[];
  /** The names of passages that are similar to each other, one text per group. */
  readonly similar: readonly string[];
  readonly ranges: ConsolidationRanges;
}

export interface RowRoom {
  /** Maximum tokens of all rows. */
  readonly tokens: number;
  readonly count: (line: string) => number;
}

/**
 * Returns the rows that fit into a request, and where the next run continues. A new row counts as read if it is too long
 * for any request, or if it is a message that states nothing. The first other passage, and the first other message if both
 * fit, are chosen before core memory, so that every run makes progress.
 */
export function chooseRows(
  { modules, passages, messages, end, last }: ConsolidationNews,
  { tokens, count }: RowRoom,
): ChosenRows {
  const chosen = new Map<string, MemoryRow>();
  const sizeOf = (row: MemoryRow) => count(rowLine({ ...row, name: "row:1" }));
  let left = tokens;
  const take = (rows: readonly MemoryRow[]): boolean => {
    const added = rows.filter((row) => !chosen.has(keyOf(row)));
    const size = added.reduce((sum, row) => sum + sizeOf(row), 0);
    if (size > left) return false;
    left -= size;
    for (const row of added) chosen.set(keyOf(row), row);
    return true;
  };
  const takeEach = (rows: readonly MemoryRow[]): void => {
    for (const row of rows) take([row]);
  };
  const isRead = ({ row }: RowGroup) => (row.kind === "message" && !states(row.text)) || sizeOf(row) > tokens;
  const taken: RowGroup[] = [];
  for (const groups of [passages, messages]) {
    const first = groups.find((group) => !isRead(group));
    if (first !== undefined && take([first.row])) taken.push(first);
  }
  for (const { rows } of taken) takeEach(rows);
  takeEach(modules.flatMap(({ lines }) => lines));
  const isLeft = (group: RowGroup) => !isRead(group) && !taken.includes(group) && !take(group.rows);
  const takeUntilFull = (groups: readonly RowGroup[], kind: "passage" | "message"): string => {
    const place = groups.findIndex(isLeft);
    return place === -1 ? end[kind] : (groups[place - 1]?.row.id ?? last?.ranges[kind] ?? lowestId);
  };
  const passage = takeUntilFull(passages, "passage");
  const ranges = { ...end, passage, message: takeUntilFull(messages, "message") };
  const rows = nameRows(inOrder([...chosen.values()]));
  return { rows, similar: similarNames(passages, rows), ranges };
}

function inOrder(rows: readonly MemoryRow[]): readonly MemoryRow[] {
  const order = (kind: MemoryRow["kind"]) => rowKinds.indexOf(kind);
  return rows.toSorted(
    (one, other) =>
      order(one.kind) - order(other.kind) || (one.kind === "line" ? 0 : one.at.getTime() - other.at.getTime()),
  );
}

function similarNames(groups: readonly RowGroup[], rows: readonly NamedRow[]): readonly string[] {
  const named = groups.map((group) => {
    const ids = group.rows.map(({ id }) => id);
    return rows.filter(({ kind, id }) => kind === "passage" && ids.includes(id)).map(({ name }) => name);
  });
  return [...new Set(named.filter(({ length }) => length > 1).map((names) => names.join(" ")))];
}

/** Returns the rows that operations name, as they are now. */
export async function readNamed(
  deps: ReadDeps,
  agentId: string,
  operations: readonly ProposedOperation[],
): Promise<CheckedMemory> {
  const modules = await ownModules(deps, agentId);
  const named = operations.flatMap(({ targets, evidence }) => [...targets, ...evidence]);
  const idsOf = (wanted: MemoryRow["kind"]) => named.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const texts = operations.flatMap((one) => {
    const lines = one.targets.filter(({ kind }) => kind === "line").map(({ text }) => text);
    return [...one.texts, ...lines, ...archivedTexts(one)];
  });
  const wanted = { passages: idsOf("passage"), messages: idsOf("message"), texts, from: [] };
  const rows = [
    ...modules.flatMap(({ lines }) => lines),
    ...(await deps.store.consolidations.rows(agentId, wanted)),
    ...(await passagesLike(deps, agentId, operations)),
  ];
  return { rows, modules, now: deps.clock.now() };
}

/** Returns whether all chosen passages and messages still exist with the same texts. */
export async function areUnchanged(
  { store }: Pick<OperationDeps, "store">,
  agentId: string,
  rows: readonly NamedRow[],
): Promise<boolean> {
  const chosen = rows.filter(({ kind }) => kind !== "line");
  const idsOf = (wanted: MemoryRow["kind"]) => chosen.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const wanted = { passages: idsOf("passage"), messages: idsOf("message"), texts: [], from: [] };
  const found = new Map((await store.consolidations.rows(agentId, wanted)).map((row) => [keyOf(row), row.text]));
  return chosen.every((row) => found.get(keyOf(row)) === row.text);
}

/** Returns a run of the user. Throws RequestError `consolidation_not_found`. */
export async function requireConsolidation(
  { store }: Pick<OperationDeps, "store">,
  id: string,
): Promise<StoredConsolidation> {
  const found = await store.consolidations.find(id);
  if (found !== null) return found;
  throw new RequestError(
    "consolidation_not_found",
    `There is no consolidation "${id}" for this user. \`runtime.consolidation.list()\` lists the consolidations of an agent.`,
  );
}
