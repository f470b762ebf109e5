// PostgreSQL's jsonb refuses escaped NUL and lone surrogates; everything else must come through unchanged.
import { storableJson } from "../../../src/base/code-points.ts";

describe("storableJson", () => {
  it.each([
    [{ "key\u0000": "a\u0000b" }, { "key\uFFFD": "a\uFFFDb" }],
    [
      ["\ud800", "x\udc00y", "\ud83d\ude00"],
      ["\uFFFD", "x\uFFFDy", "\ud83d\ude00"],
    ],
    ["\\u0000 and \\ud800 as text", "\\u0000 and \\ud800 as text"],
    ['\\\u0000\\\\\ud800\n"\u2028', '\\\uFFFD\\\\\uFFFD\n"\u2028'],
    [{ nested: [1, null, true, { deep: "ok" }] }, { nested: [1, null, true, { deep: "ok" }] }],
  ])("keeps the storable parts of %j", (value, kept) => {
    expect(JSON.parse(storableJson(value))).toEqual(kept);
  });
});
