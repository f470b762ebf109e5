// Which messages a scratchpad is brought up to date with, and what the model is asked.
import { recentMessages, scratchpadRequest } from "../../../src/context/redraft-scratchpad.ts";
import type { StoredMessage } from "../../../src/store/port/records.ts";
import { textOf } from "../../../src/base/message/message.ts";
import { storedMessage } from "../../support/messages.ts";

/** Messages of ten tokens each. */
const many = (count: number): readonly StoredMessage[] =>
  Array.from({ length: count }, (_, at) => storedMessage({ id: `n${at}`, role: at % 2 === 0 ? "user" : "tool" }));

const idsOf = (messages: readonly StoredMessage[]): readonly string[] => messages.map(({ id }) => id);

describe("recentMessages", () => {
  it("are the last ten, or all from the given one on", () => {
    expect(idsOf(recentMessages(many(30), { fromId: "n28", tokens: 1000 }))).toEqual(idsOf(many(30).slice(20)));
    expect(idsOf(recentMessages(many(30), { fromId: "n5", tokens: 1000 }))).toEqual(idsOf(many(30).slice(5)));
    expect(idsOf(recentMessages(many(3), { fromId: "n2", tokens: 1000 }))).toEqual(["n0", "n1", "n2"]);
    expect(idsOf(recentMessages(many(30), { fromId: "gone", tokens: 1000 }))).toEqual(idsOf(many(30).slice(20)));
  });

  it("are limited by tokens, from the newest back, which always stays", () => {
    expect(idsOf(recentMessages(many(30), { fromId: "n5", tokens: 39 }))).toEqual(["n27", "n28", "n29"]);
    expect(idsOf(recentMessages(many(30), { fromId: "n5", tokens: 40 }))).toEqual(["n26", "n27", "n28", "n29"]);
    expect(idsOf(recentMessages(many(30), { fromId: "n5", tokens: 0 }))).toEqual(["n29"]);
    expect(recentMessages([], { fromId: "n5", tokens: 40 })).toEqual([]);
  });

  it("leave the runtime's own events out", () => {
    const [login, said] = [
      storedMessage({ id: "login", role: "user", kind: "event" }),
      storedMessage({ role: "user" }),
    ];
    expect(recentMessages([login, said], { fromId: said.id, tokens: 100 })).toEqual([said]);
  });
});

describe("scratchpadRequest", () => {
  const draft = {
    text: "{}",
    fields: { a: { type: "string" } },
    limit: 500,
    messages: [],
    tokens: 10,
    maxOutputTokens: 7,
  };
  const asked = (messages: readonly StoredMessage[]): string =>
    textOf(scratchpadRequest({ ...draft, messages }).messages[0]!);

  it("has the fields, the limit, the scratchpad and the messages, and no tools", () => {
    const messages = [storedMessage({ role: "user", content: [{ type: "text", text: "hello" }] })];
    expect(scratchpadRequest({ ...draft, messages })).toMatchObject({
      system: { instructions: expect.stringMatching(/^You keep the scratchpad/u), memory: "" },
      tools: [],
      output: {
        name: "scratchpad",
        schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      },
      maxOutputTokens: 7,
    });
    expect(asked(messages)).toBe(
      'Fields, as JSON schema: {"a":{"type":"string"}}\n\nAt most 500 characters.\n\nScratchpad:\n{}\n\nLatest messages:\nuser: hello',
    );
  });

  it("clips a message that is too long to its beginning, without splitting a character", () => {
    const long = storedMessage({ role: "user", tokens: 100, content: [{ type: "text", text: "👋".repeat(994) }] });
    expect(asked([long])).toMatch(/Latest messages:\nuser: (?:👋){94} \[cut\]$/u);
  });
});
