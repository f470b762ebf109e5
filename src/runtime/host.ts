// A host: one store, its embedders and its models, for many users.
// Invariant: types only.
import type { CloseOptions, StoreMaintenance, UserRuntime } from "./runtime.ts";

export interface Host extends StoreMaintenance {
  /**
   * Returns the runtime of a user, in microseconds: it opens nothing. The same one until it is closed, so that all requests
   * of a user share it; close it to free what it holds. Throws RequestError `input_invalid` for an invalid id, and
   * ConfigError on a closed host.
   */
  forUser(userId: string): UserRuntime;
  /** Closes all runtimes at once, each as `UserRuntime.close`, and then the store, the embedders and the models. */
  close(options?: CloseOptions): Promise<void>;
}
