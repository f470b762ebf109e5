// Makes of any text what the local model can read, at a cost that does not grow with the text.
// Invariant: the result has no lone surrogate and at most `modelTextLimit` code points; it is "" when nothing is left.
import { takeCodePoints } from "../../base/code-points.ts";
import { modelWindowTokens } from "./model-size.ts";

/** The model's window of tokens times its longest piece (16): what lies beyond can hardly change the vector. */
export const modelTextLimit = modelWindowTokens * 16;

// Normalizing may lengthen a text (NFKC: 18 times at most) or shorten it; this bounds the work either way.
const readLimit = 8 * modelTextLimit;

/**
 * The text in NFKC, without invisible format characters, with each run of white space and control characters as one
 * space: the normalization that the model's vocabulary was made with (`nmt_nfkc` of SentencePiece). Clipped, not split.
 */
export function modelText(text: string): string {
  const normalized = takeCodePoints(text, readLimit)
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(/\p{Cf}+/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ");
  return takeCodePoints(normalized.trim(), modelTextLimit);
}
