// Trials of restores: a process that restores a backup is killed. The next one must find an empty database or a whole one, and a
// database that is empty can be restored into again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, openTestStore, type TestDatabase } from "../support/database.ts";
import { fillScene } from "../support/isolation-scene.ts";
import { keepFile, newTalk, say } from "../support/store-builders.ts";
import { digestOfRows } from "./digest-of-rows.ts";
import { type Findings, placeArguments, startChild } from "./start-child.ts";

interface Backup {
  readonly file: string;
  readonly digest: string;
}

export async function runRestoreTrials(trials: number, halves: boolean): Promise<Findings> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-restore-"));
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const count = (what: string): void => void histogram.set(what, (histogram.get(what) ?? 0) + 1);
  let target: TestDatabase | null = null;
  try {
    const backup = await writeBackup(folder);
    let restoreMs = 0;
    // The first restore ends, to show how long one takes; so does the last, which repeats one that was killed.
    for (let number = 0; number <= trials + 1; number += 1) {
      target ??= await createTestDatabase();
      const isKilled = number > 0 && number <= trials;
      const after = isKilled ? killTime(number, restoreMs) : null;
      const outcome = await restoreOnce({ target, backup, after, halves });
      violations.push(...outcome.violations.map((violation) => `restore, trial ${number}: ${violation}`));
      if (outcome.restoredMs !== null) restoreMs = outcome.restoredMs;
      if (isKilled) count(outcome.killed ? "restore: killed" : "restore: ended before its kill");
      count(`restore: found ${outcome.state}`);
      const isOver = outcome.state !== "empty" || !outcome.killed;
      if (isOver) {
        await target.remove();
        target = null;
      }
    }
  } finally {
    await target?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  return { histogram, violations };
}

/** Mostly anywhere in the restore; every third time about when it commits. */
function killTime(number: number, restoreMs: number): number {
  return number % 3 === 0 ? restoreMs * (0.85 + Math.random() * 0.2) : Math.random() * restoreMs;
}

/** Of a database with rows in every table, files, node memories and many messages. */
async function writeBackup(folder: string): Promise<Backup> {
  const source = await openTestStore();
  try {
    await fillScene(source);
    const talk = await newTalk(source.store.as("nora"));
    for (let from = 0; from < 2000; from += 500) {
      await say(
        talk,
        Array.from({ length: 500 }, (_, at) => `message ${from + at}`),
      );
    }
    for (const letter of ["a", "b"]) await keepFile(talk, letter.repeat(700_000));
    const file = path.join(folder, "all.gz");
    await source.store.backup(file);
    return { file, digest: await digestOfRows(source.connection) };
  } finally {
    await source.close();
  }
}

interface RestoreRun {
  readonly target: TestDatabase;
  readonly backup: Backup;
  /** Milliseconds from the beginning of the restore until the kill; null: it is let end. */
  readonly after: number | null;
  readonly halves: boolean;
}

async function restoreOnce({ target, backup, after, halves }: RestoreRun) {
  const violations: string[] = [];
  let state = "broken";
  let restoredMs: number | null = null;
  const args = [...placeArguments(target.connection), "--file", backup.file, "--digest", backup.digest];
  if (halves) args.push("--halves");
  const child = startChild("restore-child.js", args, (word, rest) => {
    if (word === "state") state = rest;
    if (word === "violation") violations.push(rest);
    if (word === "restored") restoredMs = Number(rest);
    if (word === "restoring" && after !== null) setTimeout(() => child.kill(), after);
  });
  const { killed, exitCode, errors } = await child.ended;
  if (!killed && exitCode !== 0) violations.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
  return { killed, state, restoredMs: restoredMs as number | null, violations };
}
