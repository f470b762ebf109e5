// A message counts as everything that is sent of it.
import type { Message } from "../../../../src/base/message/message.ts";
import { countMessage, messageOverhead, toolPartOverhead } from "../../../../src/model/tokens/token-counter.ts";

// One token per character, so that sums are lengths.
const counter = { count: (text: string) => text.length, exact: true, countFile: () => 100 };

describe("countMessage", () => {
  it.each<[string, Message, number]>([
    ["no part", { role: "user", content: [] }, 0],
    [
      "texts",
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      6,
    ],
    [
      "a thought and its signature",
      { role: "assistant", content: [{ type: "thought", text: "hm", signature: "sig" }] },
      5,
    ],
    [
      "all thoughts of a message with a signature",
      {
        role: "assistant",
        content: [
          { type: "thought", text: "hm" },
          { type: "thought", text: "", signature: "sig" },
        ],
      },
      5,
    ],
    [
      "no thought without one, which is never sent",
      { role: "assistant", content: [{ type: "thought", text: "hm" }] },
      0,
    ],
    [
      "a call's id, name and arguments",
      { role: "assistant", content: [{ type: "tool-call", callId: "c1", name: "send", arguments: '{"a":1}' }] },
      toolPartOverhead + 2 + 4 + 7,
    ],
    [
      "a result's id, name and text",
      { role: "tool", content: [{ type: "tool-result", callId: "c1", name: "send", status: "ok", text: "done" }] },
      toolPartOverhead + 2 + 4 + 4,
    ],
  ])("counts %s", (_, message, tokens) => {
    expect(countMessage(counter, message)).toBe(messageOverhead + tokens);
  });
});
