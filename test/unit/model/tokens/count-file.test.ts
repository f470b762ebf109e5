// Token counts of files match the providers' published examples.
import type { FilePart, ModelInput } from "../../../../src/base/message/file-part.ts";
import { createFileCounter, imageRuleOf, imageTokens } from "../../../../src/model/tokens/create-token-counter.ts";

describe("an image counts by its provider's rule", () => {
  it.each([
    // Anthropic, "Vision": the table of examples, and the maximum of an image.
    ["anthropic/claude-sonnet-4-5", 200, 200, 54],
    ["anthropic/claude-sonnet-4-5", 1000, 1000, 1334],
    ["anthropic/claude-sonnet-4-5", 1092, 1092, 1590],
    ["anthropic/claude-sonnet-4-5", 8000, 8000, 1600],
    ["anthropic/claude-3-haiku-20240307", 1000, 1000, 1334],
    ["anthropic/claude-sonnet-4-20250514", 8000, 8000, 1600],
    ["anthropic/claude-opus-4-7", 2000, 1500, 4000],
    ["anthropic/claude-opus-4-7", 8000, 8000, 4784],
    ["anthropic/claude-opus-5", 8000, 8000, 4784],
    // OpenAI, "Images and vision": 1024 × 1024 is four tiles of 768 × 768, 2048 × 4096 six of 768 × 1536.
    ["openai/gpt-4o", 1024, 1024, 765],
    ["openai/gpt-4o", 2048, 4096, 1105],
    ["openai/gpt-4.1", 1024, 1024, 765],
    ["openai/gpt-4o", 512, 512, 255],
    ["openai/gpt-4o-mini", 1024, 1024, 25501],
    ["openai/gpt-5", 1024, 1024, 630],
    ["openai/o3", 1024, 1024, 675],
    // 1024 × 1024 is 1,024 patches; 1800 × 2400 is more than the 1,536 that count.
    ["openai/gpt-4.1-mini", 1024, 1024, 1659],
    ["openai/gpt-4.1-mini", 1800, 2400, 2489],
    ["openai/o4-mini", 1024, 1024, 1762],
    ["openai/gpt-5.4", 1600, 1600, 3000],
    // Models without a rule.
    ["openai/llava", 1024, 1024, 765],
    ["scripted", 1024, 1024, 765],
  ])("%s, %d × %d: %d", (model, width, height, tokens) => {
    expect(imageTokens(imageRuleOf(model), { width, height })).toBe(tokens);
    expect(imageTokens(imageRuleOf(model), { width: height, height: width })).toBe(tokens);
  });

  it.each(["anthropic/claude-sonnet-4-5", "openai/gpt-4o", "openai/gpt-4.1-mini"])(
    "for %s never less if it is larger, and the maximum if its size is unknown",
    (model) => {
      const rule = imageRuleOf(model);
      const unknown = imageTokens(rule, {});
      let before = 0;
      for (const side of [1, 16, 200, 511, 512, 513, 768, 1000, 1568, 2048, 8000]) {
        const tokens = imageTokens(rule, { width: side, height: side });
        expect(tokens).toBeGreaterThanOrEqual(before);
        expect(tokens).toBeLessThanOrEqual(unknown);
        before = tokens;
      }
      expect(imageTokens(rule, { width: 1, height: 1e9 })).toBeGreaterThan(0);
    },
  );
});

describe("a file counts", () => {
  const words = (text: string): number => text.split(" ").length;
  const fileOf = (facts: Partial<FilePart>): FilePart => ({
    type: "file",
    location: { type: "attachment", id: "1" },
    kind: "custom",
    mediaType: "application/octet-stream",
    name: "x",
    bytes: 1_000_000,
    ...facts,
  });
  const count = (file: Partial<FilePart>, inputs: readonly ModelInput[] = ["image", "pdf", "audio"]): number =>
    createFileCounter("anthropic/claude-sonnet-4-5", inputs, words)(fileOf(file));
  const pdf = { kind: "document", mediaType: "application/pdf" } as const;
  const audio = { kind: "audio", mediaType: "audio/mpeg" } as const;

  it("by pages, and by bytes if they are unknown", () => {
    const page = count({ ...pdf, pages: 1 }) - 10;
    expect(page).toBe(2000 + Math.ceil((816 * 1056) / 750));
    expect(count({ ...pdf, pages: 7 })).toBe(10 + 7 * page);
    expect(count({ ...pdf, bytes: 100_001 })).toBe(10 + 3 * page);
    expect(count({ ...pdf, bytes: null })).toBe(10 + page);
  });

  it("by seconds, and by bytes if they are unknown", () => {
    expect(count({ ...audio, seconds: 12.34 })).toBe(10 + 124);
    expect(count({ ...audio, bytes: 160_000 })).toBe(10 + 100);
  });

  it("by its text", () => {
    expect(count({ kind: "document", mediaType: "text/plain", textTokens: 500 }, [])).toBe(10 + 500 + 2);
  });

  it.each([
    ["an image", { kind: "image", mediaType: "image/png", width: 1000, height: 1000 }, 1344],
    ["a PDF", { ...pdf, pages: 3 }, 9000],
    ["audio", { ...audio, seconds: 60 }, 600],
  ] as const)("%s as a note if the model does not accept it", (_what, file, min) => {
    expect(count(file)).toBeGreaterThanOrEqual(min);
    expect(count(file, [])).toBeLessThan(25);
  });

  it("video as a note for every model", () => {
    expect(count({ kind: "video", mediaType: "video/mp4", seconds: 1e6 })).toBeLessThan(25);
  });
});
