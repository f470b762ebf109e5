// What the worker thread is told of the model that it is to run.
import type { ModelFolder } from "./model-folder.ts";

export interface EncoderSettings extends Pick<ModelFolder, "dimensions" | "windowTokens" | "pooling" | "dtype"> {
  /** The library's own module, as a file. */
  readonly library: string;
  /** The folder that holds the model's folder, and its name in there. */
  readonly folder: string;
  readonly model: string;
}
