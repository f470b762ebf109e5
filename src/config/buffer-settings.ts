// The settings of the buffer: the last messages of a conversation, as the query planner and programs search them.
// Invariant: the three tables have the same keys, those of BufferConfig; the compiler compares them.
import { z } from "zod";
import { embeddingSettings, embeddingShape } from "./embedding-settings.ts";
import { atLeast, type Setting, wholeNumber } from "./setting-forms.ts";

export interface BufferConfig {
  /** Messages. */
  readonly bufferSize: number;
  /** A buffer of a program's own keeps `bufferSize × bufferMultiplier` summaries of what left it. */
  readonly bufferMultiplier: number;
  /** How the query planner searches it, and a program's own buffer is searched: by meaning as well, or by words alone. */
  readonly bufferSearch: "off" | "words" | "meaning";
  /** What makes vectors of the buffer's messages, named as `embedding` is; null: the same as archives have. */
  readonly bufferEmbedding: string | null;
}

/** Sizes as in MUXI. */
export const bufferDefaults: BufferConfig = {
  bufferSize: 50,
  bufferMultiplier: 10,
  bufferSearch: "off",
  bufferEmbedding: null,
};

export const bufferShape = {
  bufferSize: wholeNumber(1),
  bufferMultiplier: wholeNumber(1),
  bufferSearch: z.enum(["off", "words", "meaning"]),
  bufferEmbedding: embeddingShape.embedding.nullable(),
} satisfies { readonly [Key in keyof BufferConfig]: z.ZodType<BufferConfig[Key]> };

export const bufferSettings: { readonly [Key in keyof BufferConfig]: Setting } = {
  bufferSize: { expected: atLeast(1) },
  bufferMultiplier: { expected: atLeast(1) },
  bufferSearch: { expected: '"off", "words" or "meaning"' },
  bufferEmbedding: { expected: embeddingSettings.embedding.expected },
};
