// Removing forgotten content from a message keeps its calls, its results and its JSON.
import { createRedactor, forgottenMark } from "../../../../src/base/redactor.ts";
import {
  emptiedContent,
  excerptOf,
  redactContent,
  redactJsonText,
} from "../../../../src/base/message/forget-content.ts";
import type { ContentPart } from "../../../../src/base/message/message.ts";

const redactor = createRedactor(["4711"]);
const file = {
  type: "file",
  location: { type: "attachment", id: "a1" },
  kind: "document",
  mediaType: "text/plain",
  name: "pin-4711.txt",
  bytes: 4,
} as const satisfies ContentPart;
const call = { type: "tool-call", callId: "c1", name: "save", arguments: '{"pin":4711,"note":"it is 4711"}' } as const;
const result = { type: "tool-result", callId: "c1", name: "save", status: "ok", text: "saved 4711" } as const;
const none: ReadonlySet<string> = new Set();

describe("a message of which a text is forgotten", () => {
  it("keeps its parts, and loses its thoughts", () => {
    const content = [
      { type: "thought", text: "hm", signature: "s" },
      { type: "text", text: "It is 4711." },
      call,
    ] as const;
    expect(redactContent(content, redactor, none)).toEqual([
      { type: "text", text: `It is ${forgottenMark}.` },
      { ...call, arguments: `{"pin":"${forgottenMark}","note":"it is ${forgottenMark}"}` },
    ]);
  });

  it("is null if nothing in it is forgotten", () => {
    expect(
      redactContent(
        [
          { type: "thought", text: "hm" },
          { type: "text", text: "It is 471." },
        ],
        redactor,
        none,
      ),
    ).toBeNull();
  });

  it("keeps a file of which only the name holds the text, and loses the files that are removed", () => {
    expect(redactContent([file], redactor, none)).toEqual([{ ...file, name: `pin-${forgottenMark}.txt` }]);
    expect(redactContent([file], redactor, new Set(["a1"]))).toEqual([{ type: "text", text: forgottenMark }]);
    const plain = { ...file, name: "pin.txt" };
    expect(redactContent([{ ...result, text: "saved", files: [plain] }], redactor, new Set(["a1"]))).toEqual([
      { ...result, text: "saved", files: [] },
    ]);
  });
});

describe("a message that is forgotten as a whole", () => {
  it("keeps only its calls and results, without what they say", () => {
    expect(emptiedContent([{ type: "text", text: "x" }, call])).toEqual([{ ...call, arguments: "{}" }]);
    expect(emptiedContent([{ ...result, files: [file] }])).toEqual([{ ...result, text: forgottenMark }]);
    expect(emptiedContent([{ type: "text", text: "x" }, file])).toEqual([{ type: "text", text: forgottenMark }]);
  });
});

describe("JSON text", () => {
  it.each([
    ['{"a":["4711",{"4711":true}]}', `{"a":["${forgottenMark}",{"${forgottenMark}":true}]}`],
    ['{"a": "471', '{"a": "471'],
    ['{"a": "4711', `{"a": "${forgottenMark}`],
    ["my 4711", `my ${forgottenMark}`],
    ["4711", forgottenMark],
  ])("%s becomes %s", (text, left) => {
    expect(redactJsonText(text, redactor)).toBe(left);
  });

  it("is emptied if the text is spread over its punctuation", () => {
    expect(redactJsonText('{"a":"b","c":"d"}', createRedactor(['b","c"']))).toBe("{}");
  });
});

describe("the excerpt of a forgotten text", () => {
  it.each([
    ["a text", "It is 4711.", "It is 4711."],
    ["a call in a message", JSON.stringify([{ ...call, arguments: '{"note":"it is \\"4711\\""}' }]), 'it is "4711"'],
    ["a number", '{"pin":4711}', "4711"],
    ["a text without it", "It is 1174.", null],
  ])("is readable in %s", (_title, text, expected) => {
    expect(excerptOf(text, redactor)).toBe(expected);
  });

  it("is of the whole if the text is spread over values", () => {
    expect(excerptOf('["a","b"]', createRedactor(['a","b']))).toContain('a","b');
  });
});
