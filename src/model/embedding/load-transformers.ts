// Loads `@huggingface/transformers` in the thread of a model.
// Invariant: the library reads only the model's folder, and nothing from the network.
import { pathToFileURL } from "node:url";

export interface TransformersSettings {
  /** Path of the library's entry. */
  readonly library: string;
  readonly folder: string;
}

/** Throws if the library cannot be loaded, which ends the thread; its owner then rejects all waiting requests. */
export async function loadTransformers<Library extends { readonly env: Record<string, unknown> }>({
  library: entry,
  folder,
}: TransformersSettings): Promise<Library> {
  const loaded = (await import(pathToFileURL(entry).href)) as Library & { readonly default?: Library };
  const library = loaded.default ?? loaded;
  Object.assign(library.env, {
    allowRemoteModels: false,
    allowLocalModels: true,
    localModelPath: folder,
    useFSCache: false,
  });
  return library;
}
