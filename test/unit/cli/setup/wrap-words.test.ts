// Wrapping of the questions' texts between words.
import { addressesOf } from "../../../../src/surfaces/cli/setup/ask-server.ts";
import { listedNames } from "../../../../src/surfaces/cli/setup/pick-model.ts";
import { wrapWords } from "../../../../src/surfaces/cli/format/wrap-words.ts";

describe("wrapWords", () => {
  it.each([
    ["one two three", 7, "one two\nthree"],
    ["  one two three", 9, "  one two\n  three"],
    ["ab cd ef", 7, "ab cd\nef"],
    ["a\n\nb", 5, "a\n\nb"],
    ["/a/very/long/path is kept", 10, "/a/very/long/path\nis kept"],
    ["", 10, ""],
    ["one  two", 4, "one \ntwo"],
  ])("breaks %j at %d into %j", (text, columns, wrapped) => {
    expect(wrapWords(text, columns)).toBe(wrapped);
  });

  it("wraps a text without a break, and one of many words, in linear time", () => {
    const long = "a".repeat(1e6);
    expect(wrapWords(long, 80)).toBe(long);
    const words = "ab ".repeat(300_000).trim();
    expect(wrapWords(words, 80).replaceAll("\n", " ")).toBe(words);
  });
});

describe("the address of a server", () => {
  it.each([
    ["http://localhost:11434", ["http://localhost:11434", "http://localhost:11434/v1"]],
    ["http://localhost:11434/v1///", ["http://localhost:11434/v1"]],
    ["https://x.example/api/v2/models", ["https://x.example/api/v2/models"]],
    ["HTTP://X", ["HTTP://X", "HTTP://X/v1"]],
    ["localhost:11434", ["http://localhost:11434", "http://localhost:11434/v1"]],
    ["127.0.0.1:1234/v1", ["http://127.0.0.1:1234/v1"]],
    ["192.168.1.5:1234", []],
    ["localhost:1234?key=1", []],
    ["ftp://x", []],
    ["http://", []],
    ["http://u:p@x/v1", []],
    ["http://x/v1?key=1", []],
    ["http://x y", []],
    [`http://${"a".repeat(1e6)}`, []],
    ["http://x\0", []],
    ["</human>", []],
  ])("is read from %#", (text, addresses) => {
    expect(addressesOf(text)).toEqual(addresses);
  });
});

describe("names of models in a line", () => {
  it.each([
    [["a"], "a"],
    [["a", "b"], "a, b"],
    [["x".repeat(30), "y".repeat(30), "z"], `${"x".repeat(30)} and 2 more`],
    [["x".repeat(80)], `${"x".repeat(49)}…`],
  ])("%j are %j", (names, line) => {
    expect(listedNames(names)).toBe(line);
  });
});
