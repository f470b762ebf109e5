// Checks the operations that a model proposes against the rows of memory that they cite, and decides which wait for a review.
// Invariant: pure. A new text is an excerpt of cited rows; nothing that a row says is dropped unless a later statement
// restates it; memory does not grow by more than the quotes; no text gets a higher class than its sources; no row is
// replaced by a row of a lower class. In doubt an operation is dropped, and memory stays as it is.
import { codePointLength } from "../../base/code-points.ts";
import { appendAll } from "../../base/lists.ts";
import { lowestTrust, type Trust } from "../../base/message/message.ts";
import type { ConsolidationOperation, MemoryRow, RowReference } from "../../store/port/consolidation-store.ts";
import { saidIn } from "../facts/said-by-user.ts";
import { comparableText } from "../planner/comparable-text.ts";
import {
  clausesOf,
  hasQuote,
  hasWordsOf,
  isExcerptOf,
  isFinishedBy,
  isSaidIn,
  lostIn,
  namePart,
  sharedWords,
  type Source,
  unsupportedIn,
} from "./excerpts.ts";
import { daysIn, type ModuleLines } from "./signals.ts";

/** An operation as a model proposes it. */
export interface ProposedOperation
  extends Pick<ConsolidationOperation, "kind" | "reason" | "targets" | "texts" | "module" | "evidence"> {}

/** The memory that operations are checked against. */
export interface CheckedMemory {
  readonly rows: readonly MemoryRow[];
  readonly modules: readonly ModuleLines[];
  readonly now: Date;
}

/** A quote with the row in which it occurs. */
interface Cited {
  readonly row: MemoryRow;
  readonly quote: string;
}

/** An operation with the rows that it names. */
export interface ExaminedOperation extends ProposedOperation {
  /** The current rows of the targets; null for a target that has changed or does not exist. */
  readonly rows: readonly (MemoryRow | null)[];
  /** The quotes with their rows; null for a quote that does not occur in its row. */
  readonly cited: readonly (Cited | null)[];
  /** The row of memory that has the new text already or, for `add`, says all of it; null if the text is new. */
  readonly keeper: MemoryRow | null;
  /** The passages, current or replaced, with a text that the operation would add to the archive. */
  readonly archived: readonly MemoryRow[];
  /** Number of code points that earlier operations add to each module, by label. */
  readonly grown: ReadonlyMap<string, number>;
  /** The texts that earlier operations write. */
  readonly written: readonly string[];
  readonly memory: CheckedMemory;
}

/** Returns why an operation is dropped; null if nothing is wrong. */
type Rule = (operation: ExaminedOperation) => string | null;

/** The checks, in the order in which they run: each check relies on those before it. */
export interface OperationRules {
  readonly shape: Rule;
  readonly targets: Rule;
  readonly quotes: Rule;
  readonly support: Rule;
  readonly loss: Rule;
  readonly time: Rule;
  readonly size: Rule;
  readonly room: Rule;
  readonly trust: Rule;
}

export interface OperationPolicy {
  readonly rules: OperationRules;
  /** Returns the class of the new texts. */
  readonly classOf: (operation: ExaminedOperation) => Trust;
  readonly needsReview: (operation: ExaminedOperation) => boolean;
}

/** Maximum number of operations of one consolidation. */
export const maxOperations = 50;
const maxText = 2000;

const isPresent = <Value>(value: Value | null): value is Value => value !== null;
const targetsOf = ({ rows }: ExaminedOperation): readonly MemoryRow[] => rows.filter(isPresent);
const citedOf = ({ cited }: ExaminedOperation): readonly Cited[] => cited.filter(isPresent);

/** Returns the quotes of rows that are not targets: they support an added text, or are later than the targets. */
function othersOf(operation: ExaminedOperation): readonly Cited[] {
  const targets = targetsOf(operation);
  return citedOf(operation).filter(({ row }) => !targets.includes(row));
}

/** By kind of operation: minimum and maximum number of targets and texts; kind of target (null: passage or line). */
const shapes = {
  add: { targets: [0, 0], texts: [1, 1], of: null },
  merge: { targets: [2, 20], texts: [1, 1], of: null },
  supersede: { targets: [1, 20], texts: [1, 1], of: null },
  "move-to-archive": { targets: [1, 50], texts: [0, 0], of: "line" },
  split: { targets: [1, 1], texts: [2, 20], of: "passage" },
} as const;

function isWithin(items: readonly unknown[], [min, max]: readonly [number, number]): boolean {
  return items.length >= min && items.length <= max;
}

function shape(operation: ExaminedOperation): string | null {
  const { kind, targets: named, texts } = operation;
  if (!isWithin(named, shapes[kind].targets)) return "a wrong number of targets";
  if (!isWithin(texts, shapes[kind].texts)) return "a wrong number of texts";
  const wanted = shapes[kind].of ?? named[0]?.kind;
  const isUniform = named.every(
    (target) => target.kind === wanted && (target.kind !== "line" || target.id === named[0]!.id),
  );
  if (!isUniform || wanted === "message") return "targets of different kinds, or of a wrong kind";
  return shapeOfTexts(operation);
}

function shapeOfTexts({ kind, targets: named, texts, module, reason }: ExaminedOperation): string | null {
  const isOdd = texts.some((text) => text.trim() === "") || new Set(texts).size < texts.length;
  if (isOdd) return "a text is blank, or two texts are equal";
  if (kind === "split" && texts.includes(named[0]!.text)) return "a part is the whole text of the target";
  if ([...texts, reason].some((text) => codePointLength(text) > maxText)) return "a text is too long";
  const isLine = named[0]?.kind === "line" || module !== null;
  return isLine && texts.some((text) => text.includes("\n")) ? "a line has a line break" : null;
}

function targets({ rows, targets: named, module, memory, archived }: ExaminedOperation): string | null {
  if (rows.some((row) => row === null)) return "a target has changed or does not exist";
  const keys = named.map(keyOf);
  if (new Set(keys).size < keys.length) return "a target is named twice";
  if (archived.some(({ isReplaced }) => isReplaced === true)) return "a replaced passage already has the new text";
  if (module !== null && !memory.modules.some(({ label }) => label === module)) return "the module does not exist";
  return null;
}

function quotes(operation: ExaminedOperation): string | null {
  const absent = operation.evidence.find((_, place) => operation.cited[place] === null);
  if (absent !== undefined) return `a quote does not occur in its row: ${namePart(absent.quote)}`;
  const needs = operation.kind === "add" || (operation.kind === "supersede" && operation.keeper === null);
  return needs && othersOf(operation).length === 0 ? "no quote is from a row other than the targets" : null;
}

function support(operation: ExaminedOperation): string | null {
  const { keeper, kind, texts } = operation;
  if (keeper !== null) return kind === "add" ? `memory has the text already, in ${nameRow(keeper)}` : null;
  const other = kind === "add" ? operation.written.find((text) => isSaidIn(text, texts[0]!)) : undefined;
  if (other !== undefined) return `another operation has the text already: ${namePart(other)}`;
  const sources = [
    ...targetsOf(operation).map(whole),
    ...citedOf(operation).map(({ row: { text }, quote }) => ({ text, quote })),
  ];
  const bare = [...texts, ...outcomesOf(operation)].flatMap((text) => unsupportedIn(text, sources) ?? [])[0];
  if (bare === undefined) return null;
  return sources.some(({ quote }) => hasWordsOf(quote, bare))
    ? `the source of a text is a question, or has a denial, condition or report that the text leaves out: ${namePart(bare)}`
    : `a text has words that are not next to each other in a target or a quote: ${namePart(bare)}`;
}

function nameRow({ kind, id, text }: MemoryRow): string {
  return `${kind === "line" ? `a line of ${id}` : "a passage"}: ${namePart(text)}`;
}

function whole({ text }: MemoryRow): Source {
  return { text, quote: text };
}

function loss(operation: ExaminedOperation): string | null {
  const { kind, texts } = operation;
  const rows = targetsOf(operation);
  if (kind === "merge" || kind === "split") {
    const lost = rows.flatMap(({ text }) => lostIn(texts, text) ?? [])[0];
    return lost === undefined ? null : `the new text drops a part of a target: ${namePart(lost)}`;
  }
  if (kind !== "supersede") return null;
  const later = laterTexts(operation);
  const isRestated = (clause: string) => sharedWords(clause, later) >= 1 / 2;
  const unrelated = rows.find(({ text }) => !clausesOf(text).some(isRestated));
  if (unrelated !== undefined) return `the later statement is not about the same thing as ${namePart(unrelated.text)}`;
  const lost = rows
    .flatMap(({ text }) => clausesOf(text))
    .find((clause) => !isRestated(clause) && lostIn(texts, clause) !== undefined);
  return lost === undefined ? null : `the new text drops a part that no later statement restates: ${namePart(lost)}`;
}

/** Returns the later statements: the kept row's text, or else the quotes of rows that are not targets. */
function laterTexts(operation: ExaminedOperation): readonly string[] {
  return operation.keeper === null ? othersOf(operation).map(({ quote }) => quote) : [operation.keeper.text];
}

function time(operation: ExaminedOperation): string | null {
  if (operation.kind !== "supersede") return null;
  const later = operation.keeper === null ? othersOf(operation).map(({ row }) => row) : [operation.keeper];
  const isLater = targetsOf(operation).every(({ at }) => later.every((row) => row.at > at));
  return isLater ? null : "the other statement is not later than the targets";
}

function size(operation: ExaminedOperation): string | null {
  if (operation.keeper !== null) return null;
  const total = (texts: readonly string[]) => texts.reduce((sum, text) => sum + codePointLength(text), 0);
  const quoted = othersOf(operation).map(({ quote }) => quote);
  // A quote of the user is saved as 'The user said: "…"', which is longer than the quote itself.
  const allowed = total(targetsOf(operation).map(({ text }) => text)) + total(quoted) + framing;
  return total(operation.texts) <= allowed ? null : "the new texts are longer than the targets and the quotes together";
}

const framing = codePointLength('The user said: ""');

function room(operation: ExaminedOperation): string | null {
  const { memory, grown } = operation;
  const held = memory.modules.find(({ label }) => label === moduleOf(operation));
  if (held === undefined || operation.kind === "move-to-archive") return null;
  const length = codePointLength(held.value) + (grown.get(held.label) ?? 0) + growthOf(operation);
  return length <= held.limit ? null : "the module has no room";
}

/** Returns the label of the module that an operation changes; null for the archive. */
function moduleOf({ targets: named, module }: ProposedOperation): string | null {
  return named[0]?.kind === "line" ? named[0].id : module;
}

/** Returns the maximum number of code points that an operation adds to its module. */
function growthOf({ targets: named, texts }: ProposedOperation): number {
  const gone = named.reduce((sum, { text }) => sum + codePointLength(text) + 1, 0);
  return texts.length === 0 ? -gone : codePointLength(texts[0]!) + 1 - gone;
}

function trust(operation: ExaminedOperation): string | null {
  if (operation.kind === "add") return null;
  const lowest = lowestTrust([classOf(operation), ...operation.archived.map((row) => row.trust)]);
  return targetsOf(operation).every((row) => lowestTrust([lowest, row.trust]) === row.trust)
    ? null
    : "the new text has a lower trust class than a target";
}

/** Returns the class of the kept row; for new texts, `user` if the user said them, else the lowest of the sources. */
function classOf(operation: ExaminedOperation): Trust {
  if (operation.keeper !== null) return operation.keeper.trust;
  const rows = [...targetsOf(operation), ...citedOf(operation).map(({ row }) => row)];
  if (operation.kind === "move-to-archive") return lowestTrust(rows.map((row) => row.trust));
  const own = rows.filter((row) => row.trust === "user");
  const isSaid = saidIn(() => ({ messages: own.map(({ text }) => text), days: [], known: [], foreign: null }));
  const isVerbatim = operation.texts.every((text) => isSaid(text) && isExcerptOf(text, own.map(whole)));
  return isVerbatim ? "user" : lowestTrust(["model", ...rows.map((row) => row.trust)]);
}

const yearMs = 31_536_000_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns whether an operation waits for a review. Only two kinds may be exempt: a merge of exact duplicates, and a
 * move of lines to the archive, if each line has a past day of the last year, or the user said later that the subject
 * of the line is finished.
 */
function needsReview(operation: ExaminedOperation): boolean {
  const { kind, texts, targets: named, memory } = operation;
  const rows = [...targetsOf(operation), ...citedOf(operation).map(({ row }) => row)];
  if (rows.some((row) => row.trust === "external")) return true;
  const held = memory.modules.find(({ label }) => named[0]?.kind === "line" && label === named[0].id);
  if (held !== undefined && (held.readOnly || held.scope === "agent" || held.label === "persona")) return true;
  if (kind === "merge") return named.some(({ text }) => comparableText(text) !== comparableText(texts[0] ?? ""));
  if (kind !== "move-to-archive" || held === undefined) return true;
  const [yearAgo, today] = [memory.now.getTime() - yearMs, memory.now.getTime()].map(dayOf);
  const isPast = (text: string) => daysIn(text).some((day) => day >= yearAgo! && day < today!);
  const said = othersOf(operation).filter(({ row }) => row.trust === "user");
  const isFinished = ({ text, at }: MemoryRow) => said.some(({ row }) => row.at > at && isFinishedBy(text, row.text));
  return !targetsOf(operation).every((row) => isPast(row.text) || isFinished(row));
}

export const operationPolicy: OperationPolicy = {
  rules: { shape, targets, quotes, support, loss, time, size, room, trust },
  classOf,
  needsReview,
};

/** Returns the operations with their verdicts. Only one operation may change a row: the first that is not dropped. */
export function checkOperations(
  operations: readonly ProposedOperation[],
  memory: CheckedMemory,
  policy: OperationPolicy = operationPolicy,
): readonly ConsolidationOperation[] {
  const taken = new Set<string>();
  const grown = new Map<string, number>();
  const written: string[] = [];
  return operations.map((operation, number) => {
    const examined = { ...examine(operation, memory), grown, written };
    const used = [...operation.targets, ...(examined.keeper === null ? [] : [examined.keeper])];
    const excess = number >= maxOperations ? "too many operations" : null;
    const shared = used.find((row) => taken.has(keyOf(row)));
    const conflict = shared === undefined ? null : `another operation changes the same row: ${namePart(shared.text)}`;
    const why = excess ?? conflict ?? firstFault(examined, policy.rules);
    if (why === null) {
      for (const row of used) taken.add(keyOf(row));
      appendAll(written, operation.texts);
      const label = moduleOf(operation) ?? "";
      grown.set(label, (grown.get(label) ?? 0) + growthOf(operation));
    }
    return {
      ...operation,
      status: why === null ? "proposed" : "dropped",
      trust: policy.classOf(examined),
      needsReview: why !== null || policy.needsReview(examined),
      why,
      replaced: [],
    };
  });
}

function firstFault(examined: ExaminedOperation, rules: OperationRules): string | null {
  for (const rule of Object.values<Rule>({ ...rules })) {
    const why = rule(examined);
    if (why !== null) return why;
  }
  return null;
}

/** Returns the key of a row: lines have no ids, so equal lines of a module have one key. */
export function keyOf({ kind, id, text }: RowReference): string {
  return kind === "line" ? `line ${id} ${text}` : `${kind} ${id}`;
}

function examine(operation: ProposedOperation, memory: CheckedMemory): Omit<ExaminedOperation, "grown" | "written"> {
  const { kind, targets: named, texts } = operation;
  const current = memory.rows.filter(({ isReplaced }) => isReplaced !== true);
  const isRow = (row: MemoryRow, ref: Pick<RowReference, "kind" | "id">) => row.kind === ref.kind && row.id === ref.id;
  const rows = named.map((target) => current.find((row) => isRow(row, target) && row.text === target.text) ?? null);
  const cited = operation.evidence.map(({ quote, ...ref }) => {
    const row = quote.trim() === "" ? undefined : current.find((one) => isRow(one, ref) && hasQuote(one.text, quote));
    return row === undefined ? null : { row, quote };
  });
  const isLine = named[0]?.kind === "line";
  const canKeep = (row: MemoryRow) => (isLine ? isRow(row, named[0]!) : row.kind === "passage");
  const hasText = (row: MemoryRow) =>
    kind === "add"
      ? row.kind !== "message" && (row.text === texts[0] || isSaidIn(row.text, texts[0] ?? ""))
      : row.text === texts[0] && canKeep(row);
  const keeper = kind === "split" ? undefined : current.find(hasText);
  const added = archivedTexts(operation);
  const archived = memory.rows.filter((row) => row.kind === "passage" && added.includes(row.text));
  return { ...operation, rows, cited, keeper: keeper ?? null, archived, memory };
}

/** Returns the quotes that say that a moved line is finished. Without them, the archive could still say "must pay". */
function outcomesOf({ kind, evidence }: ProposedOperation): readonly string[] {
  if (kind !== "move-to-archive") return [];
  return evidence.filter((cited) => cited.kind === "message").map(({ quote }) => `The user said: "${quote}"`);
}

/** Returns the texts that an operation puts into the archive. Moved lines and the user's statements are one text. */
export function archivedTexts(operation: ProposedOperation): readonly string[] {
  const { kind, targets: named, texts, module } = operation;
  if (kind === "move-to-archive") return [[...named.map(({ text }) => text), ...outcomesOf(operation)].join("\n")];
  return module !== null || (kind === "merge" && named[0]?.kind === "line") ? [] : texts;
}
