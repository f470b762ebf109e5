// Adds the counts of stored records to the error of an import that commits several transactions: what was committed stays.
// Invariant: only an error about the imported data gets the counts; a dry run has stored nothing.
import { RequestError } from "../../../base/errors.ts";
import type { TransferCounts } from "../../../store/port/transfer-store.ts";

type StoredCounts = Partial<TransferCounts> & { readonly identities?: number };

const words: Readonly<Record<keyof StoredCounts, readonly [one: string, many: string]>> = {
  agents: ["agent", "agents"],
  modules: ["module", "modules"],
  tools: ["tool", "tools"],
  sources: ["source", "sources"],
  files: ["file", "files"],
  conversations: ["conversation", "conversations"],
  messages: ["message", "messages"],
  passages: ["passage", "passages"],
  identities: ["identity", "identities"],
};

/** Returns an error `import_invalid` with the counts of the stored records added, and any other error unchanged. */
export function withStored(error: unknown, counts: StoredCounts, { dryRun = false }: { readonly dryRun?: boolean }) {
  if (!(error instanceof RequestError) || error.code !== "import_invalid") return error;
  const stored = Object.entries(words).flatMap(([key, [one, many]]) => {
    const count = counts[key as keyof StoredCounts] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const kept = dryRun || stored.length === 0 ? "Nothing was stored." : `Stored before the error: ${stored.join(", ")}.`;
  return new RequestError("import_invalid", `${error.message} ${kept}`, { cause: error.cause });
}
