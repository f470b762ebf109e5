// A search without meaning reports this in all its outputs: for the model, in the terminal, in a list.
import { foundShape, foundPieces } from "../../../src/surfaces/cli/format/found-pieces.ts";
import { formatSearchPage } from "../../../src/tool/search-results.ts";
import type { ArchivalPage } from "../../../src/memory/archival/archival-memory.ts";
import { archivalCommand } from "../../../src/surfaces/terminal/commands/search.ts";
import { createFakeAgent, createFakeRuntime } from "../../support/fake-agent.ts";
import { noDialog } from "../../support/drive-dialog.ts";

const hit = {
  id: "passage-1",
  text: "Ada sails",
  at: new Date("2026-11-21T10:13:01Z"),
  tags: [],
  trust: "user" as const,
  kind: "memory" as const,
  importance: 0.5,
  explanation: { score: 1, words: null, meaning: null, literal: true, identifier: false, importance: 0.5 },
};
const empty: ArchivalPage = { hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false };
const one: ArchivalPage = { ...empty, hits: [hit], total: 1 };
const notice = "Search by meaning is not available now: only words were compared.";

const textOf = (found: ArchivalPage): string =>
  foundPieces(found)
    .map(({ text }) => text)
    .join("");

describe.each([
  ["nothing", empty],
  ["something", one],
])("a search that found %s", (_what, found) => {
  const partial: ArchivalPage = { ...found, wordsAlone: true };

  it("says to the model and in a listing that only words were compared, if that is so", () => {
    const timeZone = "UTC";
    expect(formatSearchPage(partial, { timeZone })).toBe(`${formatSearchPage(found, { timeZone })}\n${notice}`);
    expect(textOf(partial).endsWith(notice)).toBe(true);
    expect(foundShape(partial)).toEqual({ ...foundShape(found), wordsAlone: true });
  });

  it("does not mention it otherwise", () => {
    expect(formatSearchPage(found, { timeZone: "UTC" })).not.toContain("meaning");
    expect(textOf(found)).not.toContain("meaning");
    expect(foundShape(found)).toMatchObject({ wordsAlone: false });
  });

  it.each([true, false])("says so in the chat if it is so (%s)", async (isPartial) => {
    const runtime = createFakeRuntime();
    const search = async (): Promise<ArchivalPage> => (isPartial ? partial : found);
    const { items } = await archivalCommand.run({
      runtime: { ...runtime, archival: { ...runtime.archival, search } },
      agent: createFakeAgent(),
      program: "palimpsest",
      argument: "boats",
      files: [],
      output: null,
      open: noDialog,
      topics: [],
      now: () => hit.at,
      signal: new AbortController().signal,
    });
    expect(JSON.stringify(items).includes("search by meaning is not available now")).toBe(isPartial);
  });
});
