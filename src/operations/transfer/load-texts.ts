// Loads the files of an agent file of Letta into their sources, as a person would load them.
// Invariant: a source that existed before is not changed; a file that cannot be read has a note and affects no other.
import type { Transfer } from "../../memory/transfer-store.ts";
import type { TextFile } from "../../transfer/read-agent-file.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { createSourceOperations } from "../source-operations.ts";

interface Loading {
  readonly transfer: Transfer;
  readonly notes: string[];
}

export async function loadTexts(
  deps: Pick<OperationDeps, "store" | "embedders" | "backFill" | "files" | "ids" | "clock" | "log">,
  files: readonly TextFile[],
  { transfer, notes }: Loading,
): Promise<void> {
  const sources = createSourceOperations(deps);
  for (const { id, name } of transfer.sources) {
    const own = files.filter(({ sourceId }) => sourceId === id);
    if (own.length === 0) continue;
    const inputs = own.map((file, index) => ({ name: relativeName(file.name, index), data: file.text }));
    const { failed, skipped } = await sources.load(name, inputs);
    for (const file of [...failed, ...skipped]) notes.push(`file ${JSON.stringify(file.name)}: ${file.reason}.`);
  }
}

/** Paths are relative and within the source. */
function relativeName(name: string, index: number): string {
  const parts = name.split(/[/\\]+/u).filter((part) => part !== "" && part !== "." && part !== "..");
  return parts.length === 0 ? `file-${index + 1}.txt` : parts.join("/");
}
