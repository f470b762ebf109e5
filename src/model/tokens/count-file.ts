// Counts the tokens of a file as it is sent to a model, by the provider's published rule.
// Invariant: never throws; unknown inputs of the rule are overestimated.
import { type FilePart, fileNote, isPdf, isText, type ModelInput } from "../../base/message/file-part.ts";
import { imageRuleOf, imageTokens } from "./image-rules.ts";

/** Overhead of a file in a request (type, keys, media type), by our own estimate. */
const fileOverhead = 10;

/**
 * A page of a PDF is sent as its text and as an image. Anthropic ("PDF support"): "1,500-3,000 tokens per page" of
 * text. We use 2,000 for the text.
 */
const pageTextTokens = 2000;
/** A page as an image: US Letter at 96 dots per inch. */
const pageSize = { width: 816, height: 1056 };
/** Used if pages cannot be counted: 50 KB each, by our own estimate. */
const bytesPerPage = 50_000;

/** OpenAI ("Managing costs", Realtime API): one token for each 100 ms of a user's audio. */
const audioTokensPerSecond = 10;
/** Used if the duration is unknown: 128 kbit/s, common for MP3. */
const audioBytesPerSecond = 16_000;

/** Counts files for one model. `count` is for texts: documents' texts are already counted, notes are not. */
export function createFileCounter(
  modelName: string,
  inputs: readonly ModelInput[],
  count: (text: string) => number,
): (file: FilePart) => number {
  const rule = imageRuleOf(modelName);
  return (file) => {
    const tokens = sentTokens(file);
    return fileOverhead + (tokens ?? count(fileNote(file, "this model cannot be sent it")));
  };

  /** Returns null for a file that a note replaces. */
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
