// Removing secrets from texts.
import { createHiddenTexts } from "../../../src/base/hidden-texts.ts";

const hidden = (secrets: readonly string[]) => {
  const texts = createHiddenTexts();
  texts.add(secrets);
  return texts;
};

test("hides a secret everywhere, and nothing else", () => {
  expect(hidden(["hunter22"]).hide("ahunter22b hunter22")).toBe("a(hidden)b (hidden)");
  expect(hidden([]).hide("hunter22")).toBe("hunter22");
});

test("hides only the password of a URL, encoded and decoded", () => {
  const texts = hidden(["postgres://ada:p%40ss%2Fword@db/x"]);
  for (const form of ["p%40ss%2Fword", "p@ss/word", "postgres://ada:p%40ss%2Fword@db/x", "p%2540ss%252Fword"]) {
    expect(texts.hide(`<${form}>`)).toBe("<(hidden)>");
  }
  expect(texts.hide("ada at db")).toBe("ada at db");
});

test("hides a secret in JSON encoding, and the longer of two first", () => {
  expect(hidden(['quo"ted']).hide(JSON.stringify({ a: 'quo"ted' }))).toBe('{"a":"(hidden)"}');
  expect(hidden(["pass", "password"]).hide("password pass")).toBe("(hidden) (hidden)");
});

test("does not hide texts that could be words", () => {
  expect(hidden(["a", "on", "%", "100%"]).hide("a man on a horse, 100%")).toBe("a man on a horse, (hidden)");
});
