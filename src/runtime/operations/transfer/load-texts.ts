// Loads the texts of files that come from Letta into their sources, as a person would load them.
// Invariant: only the given sources are changed; a file that cannot be read has a note and affects no other.
import type { TextFile } from "../../../transfer/read-agent-file.ts";
import { loadFiles, type SourceDeps } from "../source-operations.ts";

interface Loading {
  readonly sources: readonly { readonly id: string }[];
  readonly notes: string[];
}

export async function loadTexts(
  deps: SourceDeps,
  files: readonly TextFile[],
  { sources, notes }: Loading,
): Promise<void> {
  for (const source of sources) {
    const named = files
      .filter(({ sourceId }) => sourceId === source.id)
      .map((file, index) => ({ ...file, name: relativeName(file.name, index) }));
    if (named.length === 0) continue;
    const inputs = named.map(({ name, text }) => ({ name, data: text }));
    const fileIds = new Map(named.flatMap(({ name, id }): [string, string][] => (id === null ? [] : [[name, id]])));
    const { failed, skipped } = await loadFiles(deps, { name: source.id, inputs, options: {}, fileIds });
    for (const file of [...failed, ...skipped]) notes.push(`file ${JSON.stringify(file.name)}: ${file.reason}.`);
  }
}

/** Paths are relative and within the source. */
export function relativeName(name: string, index: number): string {
  const parts = name.split(/[/\\]+/u).filter((part) => part !== "" && part !== "." && part !== "..");
  return parts.length === 0 ? `file-${index + 1}.txt` : parts.join("/");
}
