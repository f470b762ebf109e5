// Constants of the local model.

/** The width of Universal Sentence Encoder Lite's vectors. */
export const modelDimensions = 512;

/** The model reads the first 128 tokens of a text and ignores the rest (measured: the vector is the same to the bit). */
export const modelWindowTokens = 128;
