// Chooses the token counter of a model: OpenAI's own models have a public tokenizer, all others are estimated. Files
// count by the provider's published rule.
// Sources: Anthropic, "Vision": width × height / 750 with a longest edge of 1,568 pixels (its newer wording, patches of
// 28 × 28, gives up to 5 % less), and 2,576 pixels and 4,784 tokens from version 4.7 on; OpenAI, "Images and vision"
// ("Calculating costs"). The factor 1.2 of OpenAI's newest models is not published: users report it from their bills.
// Invariant: counting never throws; the tokens of an image of unknown size are overestimated.
import { fileNote, type FilePart, isPdf, isText, type ModelInput } from "../../base/message/file-part.ts";
import { estimateTokens, type TokenCounter } from "./token-counter.ts";
import { createEncodingCounter, type EncodingName } from "./encoding-counter.ts";

// Names of OpenAI's own models. Other models with the same adapter, such as `openai/llama3` on a compatible server, have
// other tokenizers.
const openaiModel = /^openai\/(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d)/;
// OpenAI's models before gpt-4o.
const olderModel = /^openai\/(?:ft:)?gpt-(?:3\.5|4(?![\w.]))/;

/**
 * Returns the counter of a model, by its configured name and its inputs besides text; nothing is loaded before the
 * first count.
 */
export function createTokenCounter(modelName: string, inputs: readonly ModelInput[] = []): TokenCounter {
  const encoding = encodingOf(modelName);
  const texts = encoding === undefined ? estimating : createEncodingCounter(encoding);
  return { ...texts, countFile: createFileCounter(modelName, inputs, texts.count) };
}

const estimating = { count: estimateTokens, exact: false, prepare: () => undefined };

function encodingOf(modelName: string): EncodingName | undefined {
  if (!openaiModel.test(modelName)) return undefined;
  return olderModel.test(modelName) ? "cl100k_base" : "o200k_base";
}

/** Overhead of a file in a request (type, keys, media type) in tokens, by our own estimate. */
const fileOverhead = 10;

/**
 * A page of a PDF is sent as its text and as an image. Anthropic ("PDF support"): "1,500-3,000 tokens per page" of
 * text. We use 2,000 for the text.
 */
const pageTextTokens = 2000;
/** The size of a page as an image, in pixels: US Letter at 96 dots per inch. */
const pageSize = { width: 816, height: 1056 };
/** Bytes per page if pages cannot be counted, by our own estimate. */
const bytesPerPage = 50_000;

/** OpenAI ("Managing costs", Realtime API): one token for each 100 ms of a user's audio. */
const audioTokensPerSecond = 10;
/** Bytes per second of audio if the duration is unknown: 128 kbit/s, common for MP3. */
const audioBytesPerSecond = 16_000;

/** Creates a counter of files for one model. `count`: counts names and notes; for documents, `textTokens` is known. */
export function createFileCounter(
  modelName: string,
  inputs: readonly ModelInput[],
  count: (text: string) => number,
): (file: FilePart) => number {
  const rule = imageRuleOf(modelName);
  return (file) => {
    const tokens = sentTokens(file);
    return fileOverhead + (tokens ?? count(fileNote(file, "this model does not accept it")));
  };

  /** Returns the tokens of a file that is sent; null for a file that a note replaces. */
  function sentTokens(file: FilePart): number | null {
    if (isText(file)) return (file.textTokens ?? 0) + 2 * count(file.name);
    if (isPdf(file))
      return inputs.includes("pdf") ? pagesOf(file) * (pageTextTokens + imageTokens(rule, pageSize)) : null;
    if (file.kind === "image") return inputs.includes("image") ? imageTokens(rule, file) : null;
    if (file.kind !== "audio" || !inputs.includes("audio")) return null;
    return Math.ceil((file.seconds ?? (file.bytes ?? 0) / audioBytesPerSecond) * audioTokensPerSecond);
  }
}

function pagesOf({ pages, bytes }: FilePart): number {
  return pages ?? Math.max(1, Math.ceil((bytes ?? 0) / bytesPerPage));
}

interface ImageSize {
  readonly width?: number;
  readonly height?: number;
}

type ImageRule =
  /** Tokens: width × height / 750 in pixels, at most `max`, after scaling down to the longest edge. */
  | { readonly type: "area"; readonly longestEdge: number; readonly max: number }
  /** Tokens: `base`, and `tile` per 512 × 512 pixels, after scaling into 2,048 × 2,048, then to a short side of 768. */
  | { readonly type: "tiles"; readonly base: number; readonly tile: number }
  /** Tokens: the number of patches of 32 × 32 pixels, at most `max`, times `factor`. */
  | { readonly type: "patches"; readonly max: number; readonly factor: number };

const claude: ImageRule = { type: "area", longestEdge: 1568, max: 1600 };
const claudeHighResolution: ImageRule = { type: "area", longestEdge: 2576, max: 4784 };
const gpt4o: ImageRule = { type: "tiles", base: 85, tile: 170 };

/** The rules by patterns of the model's name; the first match applies. */
const rules: readonly (readonly [RegExp, ImageRule])[] = [
  [/^anthropic\/claude-(?:opus|sonnet|haiku)-(?:4-(?:[7-9]|\d\d)(?!\d)|[5-9])/, claudeHighResolution],
  [/^anthropic\//, claude],
  [/^openai\/gpt-4o-mini/, { type: "tiles", base: 2833, tile: 5667 }],
  [/^openai\/gpt-4\.1-mini/, { type: "patches", max: 1536, factor: 1.62 }],
  [/^openai\/gpt-4\.1-nano/, { type: "patches", max: 1536, factor: 2.46 }],
  [/^openai\/(?:o4-mini|codex-mini)/, { type: "patches", max: 1536, factor: 1.72 }],
  [/^openai\/gpt-5-mini/, { type: "patches", max: 1536, factor: 1.62 }],
  [/^openai\/gpt-5-nano/, { type: "patches", max: 1536, factor: 2.46 }],
  [/^openai\/gpt-5\.\d/, { type: "patches", max: 2500, factor: 1.2 }],
  [/^openai\/gpt-5/, { type: "tiles", base: 70, tile: 140 }],
  [/^openai\/o\d/, { type: "tiles", base: 75, tile: 150 }],
];

/** Returns the image rule of a model; models without a rule are counted like gpt-4o. */
export function imageRuleOf(modelName: string): ImageRule {
  return rules.find(([name]) => name.test(modelName))?.[1] ?? gpt4o;
}

/** Returns the tokens of an image, in full detail. */
export function imageTokens(rule: ImageRule, { width, height }: ImageSize): number {
  const [short, long] = [Math.min(width ?? 0, height ?? 0), Math.max(width ?? 0, height ?? 0)];
  const size = short > 0 ? { short, long } : { short: 2048, long: 2048 };
  switch (rule.type) {
    case "area": {
      const scale = Math.min(1, rule.longestEdge / size.long);
      return Math.min(rule.max, Math.ceil((size.short * size.long * scale * scale) / 750));
    }
    case "tiles": {
      const fitted = scaled(size, Math.min(1, 2048 / size.long));
      const { short: across, long: along } = scaled(fitted, Math.min(1, 768 / fitted.short));
      // Rounded, so that an inexact scale does not make 769 of 768 pixels.
      const tilesOf = (side: number): number => Math.ceil(Math.round(side) / 512);
      return rule.base + rule.tile * tilesOf(across) * tilesOf(along);
    }
    case "patches":
      return Math.ceil(Math.min(rule.max, Math.ceil(size.short / 32) * Math.ceil(size.long / 32)) * rule.factor);
  }
}

function scaled({ short, long }: { readonly short: number; readonly long: number }, scale: number) {
  return { short: short * scale, long: long * scale };
}
