// Exact counts for OpenAI's models, estimates for all others; both handle unusual texts.
import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { createTokenCounter } from "../../../../src/model/tokens/create-token-counter.ts";
import { freeEncoders } from "../../../../src/model/tokens/encoding-counter.ts";

const plain = get_encoding("o200k_base");
const counter = createTokenCounter("openai/gpt-5-mini");

afterAll(() => {
  plain.free();
  freeEncoders();
});

const word = fc.constantFrom(
  ..."the quick fox's naïve coöperation Größe über 3,141 2026-11-21 hello@example.org émigré Donaudampfschiff".split(
    " ",
  ),
  ..."{ } => // \n \n\n \t - — “quoted” can't I'll 你好，世界。 今天天气很好 привет 👋🏽 👨‍👩‍👧 ❤️ x=y+1; fooBarBaz <|endoftext|>".split(
    " ",
  ),
);
const prose = fc.array(word, { maxLength: 80 }).map((words) => words.join(" "));

describe("createTokenCounter", () => {
  it("counts prose exactly like the encoding", () => {
    fc.assert(
      fc.property(prose, (text) => counter.count(text) === plain.encode(text, [], []).length),
      { numRuns: 300 },
    );
  });

  it("counts long prose exactly, Chinese without spaces included", () => {
    const text = "今天我们去公园散步，天气很好。然后回家做饭，聊到很晚！".repeat(100);
    expect(counter.count(text)).toBe(plain.encode(text, [], []).length);
  });

  it.each([
    ["openai/gpt-5", true],
    ["openai/gpt-4o-mini", true],
    ["openai/gpt-4", true],
    ["openai/o3", true],
    ["openai/ft:gpt-4o:acme", true],
    ["openai/llama3.2", false],
    ["anthropic/claude-sonnet-4-5", false],
    ["compatible/qwen3", false],
    ["demo", false],
  ])("%s: exact is %s", (model, exact) => {
    expect(createTokenCounter(model).exact).toBe(exact);
  });

  it("uses the older encoding for models before gpt-4o", () => {
    const text = "Οι γάτες κοιμούνται όλη μέρα";
    expect(createTokenCounter("openai/gpt-4-turbo").count(text)).toBeGreaterThan(counter.count(text));
  });

  it("treats special tokens as plain text", () => {
    expect(counter.count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it("counts a lone surrogate as the replacement character that is sent", () => {
    expect(counter.count("a\ud800b")).toBe(counter.count("a\ufffdb"));
  });

  it("still counts after its encoders were freed", () => {
    const before = counter.count("Cinderella wept.");
    freeEncoders();
    freeEncoders();
    expect(counter.count("Cinderella wept.")).toBe(before);
  });

  it.each(["openai/gpt-5", "demo"])("%s: an empty text has no tokens, any other string has a count", (model) => {
    const { count } = createTokenCounter(model);
    expect(count("")).toBe(0);
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }),
        (text) => Number.isInteger(count(text)) && count(text) > 0,
      ),
    );
  });
});
