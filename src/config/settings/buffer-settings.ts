// Settings of the buffer: the last messages of a conversation, which the query planner and programs search.
import { embedderName } from "./embedding-settings.ts";
import { oneOf, orNull, wholeNumber } from "./forms.ts";
import { setting, type ValuesOf } from "./setting.ts";

export type BufferConfig = ValuesOf<typeof bufferSettings>;

/** The default sizes are those of MUXI. */
export const bufferSettings = {
  /** Maximum number of messages. */
  bufferSize: setting({ ...wholeNumber(1), default: 50 }),
  /** A program's own buffer keeps `bufferSize × bufferMultiplier` summaries of messages that left it. */
  bufferMultiplier: setting({ ...wholeNumber(1), default: 10 }),
  /** How the query planner and programs search it: by words only, or by words and meaning. */
  bufferSearch: setting({ ...oneOf("off", "words", "meaning"), default: "off" }),
  /** The embedder of the buffer's messages, in the format of `embedding`; null: that of archival memory. */
  bufferEmbedding: setting({ ...orNull(embedderName), default: null }),
};
