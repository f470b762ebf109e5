// The package's migrations as they were once, for tests of what a migration makes of older rows.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { newFolder } from "./embedded-folder.ts";

interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

/** A folder with those that came before the one whose tag ends so. */
export function migrationsBefore(ending: string): string {
  const folder = newFolder();
  cpSync(path.join(packageRoot(), "drizzle"), folder, { recursive: true });
  const file = path.join(folder, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(file, "utf8")) as Journal;
  const first = journal.entries.findIndex(({ tag }) => tag.endsWith(ending));
  expect(first).toBeGreaterThan(0);
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, first) }));
  return folder;
}

/** An id that is told by its last digits. */
export function olderId(last: string): string {
  return `00000000-0000-7000-8000-${last.padStart(12, "0")}`;
}
