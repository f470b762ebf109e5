// The settings of the buffer: the last messages of a conversation, as the query planner and programs search them.
import { embedderName } from "./embedding-settings.ts";
import { oneOf, orNull, wholeNumber } from "./forms.ts";
import { setting, type ValuesOf } from "./setting.ts";

export type BufferConfig = ValuesOf<typeof bufferSettings>;

/** Sizes as in MUXI. */
export const bufferSettings = {
  /** Messages. */
  bufferSize: setting({ ...wholeNumber(1), default: 50 }),
  /** A buffer of a program's own keeps `bufferSize × bufferMultiplier` summaries of what left it. */
  bufferMultiplier: setting({ ...wholeNumber(1), default: 10 }),
  /** How the query planner searches it, and a program's own buffer is searched: by meaning as well, or by words alone. */
  bufferSearch: setting({ ...oneOf("off", "words", "meaning"), default: "off" }),
  /** What makes vectors of the buffer's messages, named as `embedding` is; null: the same as archives have. */
  bufferEmbedding: setting({ ...orNull(embedderName), default: null }),
};
