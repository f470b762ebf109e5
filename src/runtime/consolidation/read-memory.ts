// Reads the memory for a consolidation: rows that are new since the last run, passages that are similar to new rows,
// and the rows that operations name.
// Invariant: the returned ranges end at the last row that was read, so that no row is left out between two runs.
import { RequestError } from "../../base/errors.ts";
import { type CheckedMemory, keyOf, type ProposedOperation } from "../../memory/consolidation/check-operations.ts";
import { states } from "../../memory/consolidation/excerpts.ts";
import { type NamedRow, nameRows, rowLine } from "../../memory/consolidation/request-rows.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { isSimilar, linesOfModule, type ModuleLines, signalsOf } from "../../memory/consolidation/signals.ts";
import type {
  ConsolidationRanges,
  ConsolidationSignals,
  MemoryRow,
  StoredConsolidation,
} from "../../store/port/consolidation-store.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type ReadDeps = Pick<OperationDeps, "store" | "clock">;

/** Maximum revisions that give the times of lines, new rows of each kind in a run, and passages similar to one row. */
const maxRevisions = 1000;
const maxNew = 200;
const maxNeighbours = 3;
const lowestId = "00000000-0000-0000-0000-000000000000";

/** A new row, and all rows that are read for it, including the new row. */
interface RowGroup {
  readonly row: MemoryRow;
  readonly rows: readonly MemoryRow[];
}

export interface ConsolidationNews {
  readonly signals: ConsolidationSignals;
  readonly last: StoredConsolidation | null;
  readonly modules: readonly ModuleLines[];
  /** The new messages, each with similar passages if the turn of the message saved nothing to memory. */
  readonly messages: readonly RowGroup[];
  /** The new passages that are similar to others, each with the others and with the messages that they come from. */
  readonly passages: readonly RowGroup[];
  /** The last passage and the last message that were read, and the revision of each module. */
  readonly end: ConsolidationRanges;
}

/** Returns what is new since the last run; null if there is no signal for a run. */
export async function readNews(deps: ReadDeps, agentId: string): Promise<ConsolidationNews | null> {
  const { consolidations } = deps.store;
  const last = await consolidations.last(agentId);
  const before = last?.ranges ?? { passage: lowestId, message: lowestId, modules: {} };
  const { passages, messages } = await consolidations.news(agentId, before, maxNew);
  const modules = await ownModules(deps, agentId);
  const found = (await withNeighbours(deps, agentId, passages)).filter(({ rows }) => rows.length > 1);
  const similar = found.map(({ row }) => row);
  const since = last?.createdAt ?? null;
  const signals = signalsOf({ modules, similar, messages, before, since, now: deps.clock.now() });
  if (signals === null) return null;
  const groups = await Promise.all(
    found.map(async ({ row, rows }) => ({ row, rows: [...rows, ...(await saidFor(deps, agentId, rows))] })),
  );
  const unsaved = await withNeighbours(
    deps,
    agentId,
    messages.filter(({ isSaved }) => !isSaved),
  );
  const said = messages.map((row) => unsaved.find((group) => group.row === row) ?? { row, rows: [row] });
  const end = {
    passage: passages.at(-1)?.id ?? before.passage,
    message: messages.at(-1)?.id ?? before.message,
    modules: Object.fromEntries(modules.map(({ label, revision }) => [label, revision])),
  };
  return { signals, last, modules, messages: said, passages: groups, end };
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

/** Returns the modules that belong to the user, without skills, with their lines. */
async function ownModules({ store, clock }: ReadDeps, agentId: string): Promise<readonly ModuleLines[]> {
  const modules = (await store.modules.list(agentId)).filter(
    ({ ownerId, label }) => ownerId === store.userId && skillOfLabel(label) === null,
  );
  const revisions = await store.modules.revisions(agentId, { limit: maxRevisions });
  return modules.map((module) => linesOfModule(module, revisions, clock.now()));
}

async function neighboursOf(
  { store, clock }: ReadDeps,
  agentId: string,
  { id, text }: MemoryRow,
): Promise<readonly MemoryRow[]> {
  // Quotes are removed, because the search would look for a text in quotes literally.
  const words = text.replaceAll('"', " ").slice(0, 1000);
  const query = { agentId, text: words, meaning: null, now: clock.now(), page: 0, pageSize: maxNeighbours + 1 };
  const { rows } = await store.passages.search(query);
  return rows
    .filter((hit) => hit.id !== id && hit.source === null && hit.replacedBy === undefined && isSimilar(hit.text, text))
    .map((hit) => ({ kind: "passage", id: hit.id, text: hit.text, trust: hit.trust, at: hit.at }));
}

const rowKinds: readonly MemoryRow["kind"][] = ["line", "passage", "message"];

export interface ChosenRows {
  /** Lines in their order, then passages and messages, both oldest first. */
  readonly rows: readonly NamedRow[];
  readonly ranges: ConsolidationRanges;
}

/** Returns the rows that fit into a request, and where the next run continues. At least one new row is chosen. */
export function chooseRows(
  { modules, passages, messages, end, last }: ConsolidationNews,
  fits: (line: string) => boolean,
): ChosenRows {
  const chosen = new Map<string, MemoryRow>();
  const take = (rows: readonly MemoryRow[]): boolean =>
    rows.every((row) => {
      const key = keyOf(row);
      if (chosen.has(key)) return true;
      if (!fits(rowLine({ ...row, name: "row:1" })) && chosen.size > 0) return false;
      chosen.set(key, row);
      return true;
    });
  take(modules.flatMap(({ lines }) => lines));
  const firstLeft = passages.findIndex(({ rows }) => !take(rows));
  const firstUnread = messages.findIndex(({ row, rows }) => states(row.text) && !take(rows));
  const passage = firstLeft === -1 ? end.passage : (passages[firstLeft - 1] ?? passages[0]!).row.id;
  const unread = messages[firstUnread - 1]?.row.id ?? last?.ranges.message ?? lowestId;
  const ranges = { ...end, passage, message: firstUnread === -1 ? end.message : unread };
  const order = (kind: MemoryRow["kind"]) => rowKinds.indexOf(kind);
  const sorted = [...chosen.values()].toSorted(
    (one, other) =>
      order(one.kind) - order(other.kind) || (one.kind === "line" ? 0 : one.at.getTime() - other.at.getTime()),
  );
  return { rows: nameRows(sorted), ranges };
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
    return [...one.texts, ...lines, lines.join("\n")];
  });
  const wanted = { passages: idsOf("passage"), messages: idsOf("message"), texts, from: [] };
  const rows = await deps.store.consolidations.rows(agentId, wanted);
  return { rows: [...modules.flatMap(({ lines }) => lines), ...rows], modules, now: deps.clock.now() };
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
    `There is no consolidation "${id}" for this user. \`runtime.consolidation.list()\` lists those of an agent.`,
  );
}
