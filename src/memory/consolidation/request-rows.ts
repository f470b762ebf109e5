// The rows of memory as a model reads them, each with a short name, and the operations in the model's answer.
// Invariant: pure; a row is on one line and cannot imitate another one; an operation with a wrong form or an unknown
// name is dropped.
import * as z from "zod";
import { codePointLength } from "../../base/code-points.ts";
import type { ConsolidationOperation, ConsolidationSignals, MemoryRow } from "../../store/port/consolidation-store.ts";
import type { ModuleRecord } from "../../store/port/records.ts";
import { keyOf, maxOperations, type ProposedOperation } from "./check-operations.ts";
import { namePart } from "./excerpts.ts";

export interface NamedRow extends MemoryRow {
  /** The short name, such as `p3` for a passage, `m12` for a message, `human:2` for a line. */
  readonly name: string;
  /** For a message: whether its turn saved something to memory. */
  readonly isSaved?: boolean;
}

export function nameRows(rows: readonly MemoryRow[]): readonly NamedRow[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const prefix = row.kind === "line" ? `${row.id}:` : row.kind === "passage" ? "p" : "m";
    const number = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, number);
    return { ...row, name: `${prefix}${number}` };
  });
}

const minuteOf = (at: Date): string => at.toISOString().slice(0, 16).replace("T", " ");

export function rowLine({ name, kind, at, trust, text, isSaved = false }: NamedRow): string {
  const time = at.getTime() === 0 ? "" : ` ${minuteOf(at)}`;
  const mark = kind !== "message" ? ` ${trust}` : isSaved ? " saved" : "";
  return `${name}${time}${mark} ${JSON.stringify(text)}`;
}

export interface RequestHead {
  readonly signals: ConsolidationSignals;
  readonly modules: readonly ModuleRecord[];
  /** Groups of names of similar passages. */
  readonly similar: readonly string[];
  readonly now: Date;
}

/** Returns what a request says before its rows: the time, the signals, how full the modules are, and the similar passages. */
export function requestHead({ signals, modules, similar: groups, now }: RequestHead): string {
  const { similar, full, expired, unsaved } = signals;
  const counts = [
    [similar, "similar passages"],
    [full, "full modules"],
    [expired, "lines with a day that has passed"],
    [unsaved, "messages of which nothing was saved"],
  ] as const;
  const seen = counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));
  const sizes = modules.map(({ label, value, limit }) => `${label} ${codePointLength(value)} of ${limit} characters`);
  const lines = [`Now: ${minuteOf(now)}`, `New: ${seen.join(", ")}`, `Modules: ${sizes.join(", ")}`];
  return [...lines, ...(groups.length === 0 ? [] : [`Similar: ${groups.join(", ")}`])].join("\n");
}

/** Returns a dropped operation as a line, with the names of its targets or its text, and with the reason. */
export function droppedLine({ kind, targets, texts, why }: ConsolidationOperation, rows: readonly NamedRow[]): string {
  const keys = targets.map(keyOf);
  const names = rows.filter((row) => keys.includes(keyOf(row))).map(({ name }) => name);
  return `- ${kind} ${names.join(", ") || texts.map(namePart).join(", ")}: ${why}`;
}

const nullable = z.string().nullable();
const operation = z.object({
  kind: z.enum(["add", "merge", "supersede", "move-to-archive", "split"]),
  reason: z.string(),
  targets: z.array(z.string()),
  texts: z.array(z.string()),
  keep: nullable,
  module: nullable,
  evidence: z.array(z.object({ row: z.string(), quote: z.string() })),
});

export function answerSchema(): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(z.object({ operations: z.array(operation) }));
  return schema;
}

export interface ReadOperations {
  readonly operations: readonly ProposedOperation[];
  /** Number of operations of a wrong form, or with an unknown name. */
  readonly unreadable: number;
}

/** Returns the operations of an answer; null if the answer has no list of operations. */
export function readOperations(
  answer: Readonly<Record<string, unknown>> | undefined,
  rows: readonly NamedRow[],
): ReadOperations | null {
  const listed = answer?.["operations"];
  if (!Array.isArray(listed)) return null;
  const read = (listed as readonly unknown[]).slice(0, 2 * maxOperations).map((one) => readOperation(one, rows));
  const operations = read.filter((one) => one !== null);
  return { operations, unreadable: read.length - operations.length };
}

function readOperation(json: unknown, rows: readonly NamedRow[]): ProposedOperation | null {
  const { data, success } = operation.safeParse(json);
  if (!success) return null;
  const named = (name: string) => rows.find((row) => row.name === name);
  const targets = data.targets.map(named);
  const kept = data.keep === null ? undefined : named(data.keep);
  const evidence = data.evidence.map(({ row, quote }) => ({ row: named(row), quote }));
  if (targets.includes(undefined) || evidence.some(({ row }) => row === undefined)) return null;
  if (data.keep !== null && kept === undefined) return null;
  const { kind, reason, texts, module } = data;
  return {
    kind,
    reason,
    targets: targets.map((row) => ({ kind: row!.kind, id: row!.id, text: row!.text })),
    texts: kept === undefined ? texts : [kept.text],
    module: kind === "add" ? module : null,
    evidence: evidence.map(({ row, quote }) => ({ kind: row!.kind, id: row!.id, quote })),
  };
}
