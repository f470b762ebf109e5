// Finds the reasons to consolidate memory: what is new since the last run and looks untidy.
// Invariant: pure; without a signal, no model is called.
import { codePointLength } from "../../base/code-points.ts";
import { smallest } from "../../base/lists.ts";
import type {
  ConsolidationRanges,
  ConsolidationSignals,
  MemoryRow,
  UserMessageRow,
} from "../../store/port/consolidation-store.ts";
import type { ModuleRecord, RevisionRecord } from "../../store/port/records.ts";
import { trustOfLines } from "../trust.ts";
import { contentWords, states } from "./excerpts.ts";

export interface ModuleLines extends ModuleRecord {
  readonly lines: readonly MemoryRow[];
  /** Whether at least 80 % of its limit is used. */
  readonly isFull: boolean;
}

const fullShare = 0.8;

/**
 * Returns a module with its lines. A line has the time of the revision that wrote it, if `revisions` contains one; a line that an
 * undo restored has the time that it had before.
 */
export function linesOfModule(module: ModuleRecord, revisions: readonly RevisionRecord[], now: Date): ModuleLines {
  const own = revisions.filter(({ label }) => label === module.label);
  const oldest = new Date(
    smallest(
      own.map(({ at }) => at.getTime()),
      now.getTime(),
    ),
  );
  const classes = trustOfLines(module);
  const rows = module.value.split("\n").map((text, place): MemoryRow => {
    const writing = own.find(
      ({ before, after, undoes }) => undoes === null && hasLine(after, text) && !hasLine(before, text),
    );
    const at = writing?.at ?? (own.length === module.revision ? new Date(0) : oldest);
    return { kind: "line", id: module.label, text, trust: classes[place] ?? module.trust, at };
  });
  const isFull = codePointLength(module.value) >= fullShare * module.limit;
  return { ...module, lines: rows.filter(({ text }) => text.trim() !== ""), isFull };
}

function hasLine(text: string, line: string): boolean {
  return text.split("\n").includes(line);
}

/** Returns, as YYYY-MM-DD, the days that a text writes as 2027-03-15 or 15.3.2027. */
export function daysIn(text: string): readonly string[] {
  const numbered = [...text.matchAll(/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/gu)];
  return [
    ...[...text.matchAll(/\b\d{4}-\d\d-\d\d\b/gu)].map(([day]) => day),
    ...numbered.map(([, day = "", month = "", year]) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`),
  ];
}

/** Two passages are similar if the longer one has at least this share of the shorter one's content words. */
const similarShare = 0.5;

/** Returns whether two texts have at least half of the content words of the shorter one in common. */
export function isSimilar(one: string, other: string): boolean {
  const [words, others] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const common = [...words].filter((word) => others.has(word)).length;
  return common > 0 && common >= similarShare * Math.min(words.size, others.size);
}

/** Minimum unsaved messages that justify a run: new ones that state something, in turns that saved nothing to memory. */
const minUnsaved = 10;

export interface Changes {
  readonly modules: readonly ModuleLines[];
  /** The new passages that are similar to another one. */
  readonly similar: readonly MemoryRow[];
  readonly messages: readonly UserMessageRow[];
  readonly before: ConsolidationRanges;
  /** When the last run began; null if there was none. */
  readonly since: Date | null;
  readonly now: Date;
}

/** Returns the signals; null if there are none. */
export function signalsOf({ modules, similar, messages, before, since, now }: Changes): ConsolidationSignals | null {
  const isChanged = ({ label, revision }: ModuleLines) => before.modules[label] !== revision;
  const [from, today] = [since, now].map((day) => day?.toISOString().slice(0, 10) ?? "");
  const hasPassed = ({ text }: MemoryRow) => daysIn(text).some((day) => day >= from! && day < today!);
  const unsaved = messages.filter(({ isSaved, text }) => !isSaved && states(text)).length;
  const signals = {
    similar: similar.length,
    full: modules.filter((module) => module.isFull && isChanged(module)).length,
    expired: modules.flatMap(({ lines }) => lines).filter(hasPassed).length,
    unsaved: unsaved >= minUnsaved ? unsaved : 0,
  };
  return Object.values(signals).some((count) => count > 0) ? signals : null;
}
