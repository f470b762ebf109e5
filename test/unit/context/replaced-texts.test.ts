// What a summarizer is told of the texts that edits of core memory replaced.
import { outdatedIdentifiers, replacedTexts } from "../../../src/context/compaction/summarize.ts";
import type { ContentPart } from "../../../src/base/message/message.ts";

type Status = "ok" | "failed";

/** A call with its result. */
function called(name: string, args: object, status: Status = "ok"): readonly { content: readonly ContentPart[] }[] {
  const call = { callId: "c1", name };
  return [
    { content: [{ type: "tool-call", ...call, arguments: JSON.stringify(args) }] },
    { content: [{ type: "tool-result", ...call, status, text: "" }] },
  ];
}

const replace = (before: string, after: string, status?: Status) =>
  called("core_memory_replace", { name: "human", old_content: before, new_content: after }, status);

test("edits that replaced a text are found, oldest first", () => {
  const messages = [
    ...replace("Lives in Lisbon", "Lives in Porto"),
    ...called("memory_replace", { label: "human", old_string: "Flat 3B", new_string: "Flat 4C" }),
    { content: [{ type: "text", text: "Done." }] } as const,
  ];
  expect(replacedTexts(messages)).toEqual([
    { before: "Lives in Lisbon", after: "Lives in Porto" },
    { before: "Flat 3B", after: "Flat 4C" },
  ]);
});

test("an edit that failed, one that removed a text, and other tools replaced nothing", () => {
  const other = called("core_memory_append", { name: "human", content: "Likes tea" });
  expect(replacedTexts([...replace("a", "b", "failed"), ...replace("a", " "), ...other])).toEqual([]);
});

test("a call whose stored arguments are not JSON replaced nothing that is known", () => {
  const [, result] = replace("a", "b");
  const call = { callId: "c1", name: "core_memory_replace", arguments: "{'name': 'human',}" };
  expect(replacedTexts([{ content: [{ type: "tool-call", ...call }] }, result!])).toEqual([]);
});

test("an identifier is out of date until an edit writes it again", () => {
  const replaced = [
    { before: "Flat 3B, 2026-03-01", after: "Flat 4C, 2026-03-01" },
    { before: "Flat 4C", after: "Flat 5D" },
  ];
  expect([...outdatedIdentifiers(replaced)]).toEqual(["3B", "4C"]);
  expect([...outdatedIdentifiers([...replaced, { before: "Flat 5D", after: "Flat 3B" }])]).toEqual(["4C", "5D"]);
});
