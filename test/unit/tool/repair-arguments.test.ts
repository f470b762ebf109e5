// Which arguments of a complete reply are repaired, and which stay as the model wrote them.
import { repairArguments } from "../../../src/tool/run-tool-call.ts";

test.each([
  ["{'text': 'hi',}", '{"text": "hi"}'],
  [' {"text": "one\ntwo"} ', '{"text": "one\\ntwo"}'],
  ['\u00a0{"text": "hi"}\u00a0', '{"text": "hi"}'],
  ["", "{}"],
  [" \n", "{}"],
])("%j is repaired", (written, expected) => {
  expect(repairArguments(written)).toBe(expected);
});

test.each([' { "a": 1e2 } ', "null", "[1,]", "not json", '{"text": "cut', '{"text": "cut"'])(
  "%j is kept",
  (written) => {
    expect(repairArguments(written)).toBe(written);
  },
);
