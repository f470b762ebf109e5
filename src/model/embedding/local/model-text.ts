// States the sizes of the local model, and converts any text to one that the model can read, at a bounded cost.
// Invariant: the text has no lone surrogate and at most `modelTextLimit` code points; it is "" if nothing is left.
import { takeCodePoints } from "../../../base/code-points.ts";

/** Dimensions of Universal Sentence Encoder Lite's vectors. */
export const modelDimensions = 512;

/** The model reads the first 128 tokens of a text and ignores the rest (measured: no bit of the vector depends on it). */
export const modelWindowTokens = 128;

/** Code points: the model's window in tokens times its longest token (16). Later text hardly changes the vector. */
export const modelTextLimit = modelWindowTokens * 16;

// Maximum code points to normalize: above `modelTextLimit`, because NFKC may shorten a text (or lengthen it up to 18 times).
const readLimit = 8 * modelTextLimit;

/**
 * Returns the text in NFKC, without invisible format characters, and with each run of white space and control
 * characters as one space: the normalization of the model's vocabulary (`nmt_nfkc` of SentencePiece). A long text is
 * clipped to `modelTextLimit`.
 */
export function modelText(text: string): string {
  const normalized = takeCodePoints(text, readLimit)
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(/\p{Cf}+/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ");
  return takeCodePoints(normalized.trim(), modelTextLimit);
}
