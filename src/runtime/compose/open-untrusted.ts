// Opens the reader of users' files and the matcher of users' patterns, in processes that all users of a host share.
// Invariant: nothing is loaded before the first use.
import type { MatchLines } from "../../memory/attached/find-lines.ts";
import type { FindSource } from "../../memory/source-load.ts";

export interface UntrustedWork {
  readonly find: FindSource;
  readonly matchLines: MatchLines;
}

export function openUntrusted(): UntrustedWork {
  let find: Promise<FindSource> | null = null;
  let matchLines: Promise<MatchLines> | null = null;
  return {
    find: async (search) => (await (find ??= openFindSource()))(search),
    matchLines: async (request) => (await (matchLines ??= openLineMatcher()))(request),
  };
}

async function openFindSource(): Promise<FindSource> {
  const { createFileReader } = await import("../../memory/sources/file-reader.ts");
  const { createFindSource } = await import("../../memory/sources/load-source.ts");
  return createFindSource(createFileReader());
}

async function openLineMatcher(): Promise<MatchLines> {
  return (await import("../../memory/sources/line-matcher.ts")).createLineMatcher();
}
