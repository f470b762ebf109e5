// The external texts in the window when memory was written, as shown to users.
import { trustText } from "../../src/surfaces/cli/format/listing-texts.ts";
import { type ExternalSource, externalText } from "../../src/base/message/message.ts";
import { causeRows } from "../../src/surfaces/terminal/dialogs/memory-panel-rows.ts";
import { revision } from "../support/fake-agent.ts";

const page = { kind: "tool", id: "m1", name: "fetch_page" } as const;
const all: readonly ExternalSource[] = [
  { kind: "prompt", id: "" },
  { kind: "module", id: "human" },
  { kind: "synopsis", id: "" },
  { kind: "summary", id: "c1" },
  page,
  { ...page, id: "m2" },
  { kind: "file", id: "m3" },
  { kind: "message", id: "m4" },
  { kind: "passage", id: "p1" },
];

test("each source is named once, with the number of its occurrences", () => {
  expect(externalText(all)).toBe(
    "earlier core memory in the prompt, module human, synopsis, summary, result of fetch_page (2), file of a message, message, memory found",
  );
  expect(externalText([])).toBe("");
});

test("a listing names the sources of external text, and nothing otherwise", () => {
  expect(trustText("external", [page])).toBe("from outside (result of fetch_page)");
  expect(trustText("external")).toBe("from outside");
  expect(trustText("model", [])).toBe("");
});

test("the panel of core memory shows the external sources of an edit", () => {
  const space = { width: 80, max: 40, now: new Date("2026-11-21T10:05:00Z") };
  const shown = (change: Parameters<typeof revision>[0]): string =>
    causeRows({ revision: revision(change), call: null, input: null }, space)
      .map((row) => row.map(({ text }) => text).join(""))
      .join("\n");
  expect(shown({ trust: "external", external: [page] })).toContain("from outside; in the window: result of fetch_page");
  expect(shown({})).not.toContain("from outside");
});
