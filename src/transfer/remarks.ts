// Counts what an import leaves out or changes, by reason.
// Invariant: no effects except its own counts; the number of reasons is bounded for every file.

/** A reason, and how often it applied. */
export interface Remark {
  readonly text: string;
  readonly count: number;
}

export interface Remarks {
  /** Counts something that is not imported. `what` is a plural noun: `images`. */
  leaveOut(what: string): void;
  /** Counts something that is imported in another form. */
  note(what: string): void;
  leftOut(): readonly Remark[];
  notes(): readonly Remark[];
}

/** Maximum number of reasons that are counted separately: some contain names from the file, so there can be many. */
const maxReasons = 40;

export function createRemarks(): Remarks {
  const leftOut = new Map<string, number>();
  const notes = new Map<string, number>();
  return {
    leaveOut: (what) => count(leftOut, what),
    note: (what) => count(notes, what),
    leftOut: () => listed(leftOut),
    notes: () => listed(notes),
  };
}

function count(counts: Map<string, number>, what: string): void {
  const key = counts.has(what) || counts.size < maxReasons ? what : "other reasons";
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the remarks, the most frequent first. */
function listed(counts: ReadonlyMap<string, number>): readonly Remark[] {
  return [...counts]
    .map(([text, number]) => ({ text, count: number }))
    .toSorted((one, other) => other.count - one.count);
}

/** Returns a name from a file for a remark: short, and in quotation marks. */
export function quotedName(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
