// The settings that the worker thread gets for its model.
import type { ModelFolder } from "./model-folder.ts";

export interface EncoderSettings extends Pick<ModelFolder, "dimensions" | "windowTokens" | "pooling" | "dtype"> {
  /** The path of the library's module. */
  readonly library: string;
  /** The folder that contains the model's folder, and the name of that. */
  readonly folder: string;
  readonly model: string;
}
