// Imports that read nothing, for tests of front ends.
import type { ImportOperations, ImportReport } from "../../src/runtime/imports/contract.ts";

export const fakeImportReport: ImportReport = {
  found: { conversations: 12, messages: 3400, branches: 3, passages: 0 },
  added: { conversations: 11, messages: 3300, passages: 0 },
  leftOut: [{ text: "images", count: 7 }],
  notes: [{ text: 'content of the unknown type "super_widget", kept as text', count: 2 }],
};

/** `find`: throws for an agent that does not exist. */
export function createFakeImports(
  called: (name: string, ...given: unknown[]) => void,
  find: (agent: string) => { readonly name: string },
): ImportOperations {
  return {
    run: async (agent, source, { onProgress, signal: _signal, ...options }) => {
      called("imports.run", find(agent).name, typeof source === "string" ? source : await textOf(source), options);
      onProgress?.({ ...fakeImportReport.added, bytes: 500_000, totalBytes: 1_000_000 });
      return fakeImportReport;
    },
  };
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
