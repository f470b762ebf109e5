// YAML for configurations: its values, and its traps.
import { inspect } from "node:util";
import { parseYaml } from "../../../../src/config/file/yaml-text.ts";
import { ConfigError } from "../../../../src/base/errors.ts";

const parse = (text: string): unknown => parseYaml(text, "c.yaml");

function errorOf(text: string): ConfigError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new ConfigError("no error");
}

/** Ten anchors, each ten times the previous one: 10^10 texts. */
const bomb = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(", ")}]`),
].join("\n");

test.each([
  ["synopsis: off", { synopsis: "off" }],
  ["a: no\nb: yes\nc: on\nd: null\ne: true", { a: "no", b: "yes", c: "on", d: null, e: true }],
  ["a: 0o17\nb: 1e3\nc: 017\nd: 0x1F", { a: 15, b: 1000, c: 17, d: 31 }],
  ["a: 2026-11-22\nb: 12:30:45", { a: "2026-11-22", b: "12:30:45" }],
  ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
  ["<<: 1\n5: x", { "<<": 1, "5": "x" }],
  ['a: "漢字 😀"\nb: ${{ secrets.X }}', { a: "漢字 😀", b: "${{ secrets.X }}" }],
  ['{"a": [1, 2]}', { a: [1, 2] }],
  ["", null],
  ["a".repeat(1e6), "a".repeat(1e6)],
])("text %# has its meaning in YAML 1.2", (text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test.each([
  ["a: 1\nb: 2\na: 3", "c.yaml (line 3, column 1): this key occurs twice"],
  ["a: 1\n---\nb: 2", "(line 2, column 1): expected one document"],
  ["a: !ruby/object:Gem x", "(line 1, column 4): tags (!…) are not supported"],
  ["a: !!binary aGk=", "tags (!…) are not supported"],
  ["%YAML 1.1\n---\nsynopsis: off", "expected YAML 1.2"],
  ["a:\n\tb: 1", "(line 2, column 1): indent with spaces"],
  ["a: *nobody", "(line 1, column 4): expected an alias after its anchor"],
  ["a: [1, 2", "or a bracket is not closed"],
  ['a: "x', "a character is missing"],
  ["? [a, b]\n: x", "expected a string as a key"],
  ["a: b: c", "c.yaml (line 1, column 4)"],
  [bomb, "uses anchors more than 100 times"],
  ["a: &a [*a]", "or inside it"],
  ["[".repeat(100_000), "is nested more than 100 levels deep"],
  ["- ".repeat(100_000), "is nested more than 100 levels deep"],
  ["? ".repeat(100_000), "is nested more than 100 levels deep"],
  ["a: ".repeat(100_000), "is nested more than 100 levels deep"],
  ["{a: ".repeat(100_000), "is nested more than 100 levels deep"],
])("text %# is refused, with its location", (text, expected) => {
  expect(errorOf(text).message).toContain(expected);
});

test.each([
  "password: hunter22: x",
  "password: !hunter22 x",
  '"hunter22\n',
  "a: *hunter22",
  "hunter22: 1\nhunter22: 2",
])("%j is reported without its content", (text) => {
  expect(inspect(errorOf(text), { depth: 10 })).not.toContain("hunter22");
});
