// Timing and tables for the benchmarks.
// Invariant: compared variants are measured alternately in the same run, so that a noisy machine slows both.
import { performance } from "node:perf_hooks";

/** One line of the printed table. All times are milliseconds. */
export interface Row {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
  readonly samples: number;
  /** This row's p50 over its floor's. */
  readonly ratio?: number;
  readonly note?: string;
}

/** The result of a benchmark: rows of times, and other measurements for the JSON. */
export interface SuiteResult {
  readonly rows: readonly Row[];
  readonly more?: Readonly<Record<string, unknown>>;
  /** Exceeded bounds; if there are any, the exit code is 1. */
  readonly broken?: readonly string[];
}

export type Work = () => Promise<unknown>;

/** Runs the functions alternately, `rounds` times after `warmups`; returns the times of each in milliseconds. */
export async function alternate(
  works: readonly Work[],
  { rounds, warmups }: { readonly rounds: number; readonly warmups: number },
): Promise<readonly (readonly number[])[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < warmups + rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      const started = performance.now();
      await work();
      if (round >= warmups) times[index]?.push(performance.now() - started);
    }
  }
  return times;
}

/**
 * Returns a function that returns the items in rotation. Two variants that are compared over the same items start half a
 * rotation apart (`isHalfOn`): otherwise the second variant finds the data of each item in the cache.
 */
export function inTurn<Item>(items: readonly Item[], { isHalfOn = false } = {}): () => Item {
  let at = isHalfOn ? Math.floor(items.length / 2) : 0;
  return () => items[at++ % items.length] as Item;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function rowOf(name: string, times: readonly number[], more: Pick<Row, "ratio" | "note"> = {}): Row {
  return { name, p50: quantile(times, 0.5), p95: quantile(times, 0.95), samples: times.length, ...more };
}

export function printTable(title: string, rows: readonly Row[]): void {
  process.stdout.write(`\n${title}\n`);
  process.stdout.write(
    `${"".padEnd(44)}${"p50 ms".padStart(10)}${"p95 ms".padStart(10)}${"ratio".padStart(8)}${"n".padStart(6)}\n`,
  );
  for (const { name, p50, p95, ratio, samples, note } of rows) {
    const shown = ratio === undefined ? "" : ratio.toFixed(2);
    process.stdout.write(
      `${name.padEnd(44)}${p50.toFixed(2).padStart(10)}${p95.toFixed(2).padStart(10)}${shown.padStart(8)}${String(samples).padStart(6)}${note === undefined ? "" : `  ${note}`}\n`,
    );
  }
}
