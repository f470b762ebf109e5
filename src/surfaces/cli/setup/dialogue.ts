// The dependencies of the questions about a model.
// Invariant: types only.
import type { ProviderChoice, Setup } from "../../../runtime/setup.ts";
import type { Questions } from "./questions.ts";

export interface Dialogue {
  readonly questions: Questions;
  readonly setup: Setup;
  readonly context: SetupContext;
}

/** The configuration before the choice. */
export interface SetupContext {
  /** The base URL of a flag or the environment, which overrides a saved one; null if there is none. */
  readonly fixedBaseUrl: string | null;
  readonly providers: readonly ProviderChoice[];
  /** The configured embedder. */
  readonly embedding: string;
  /** Of the user, such as `pt-PT`. */
  readonly locale: string;
  /** No model was ever chosen. */
  readonly isFirstRun: boolean;
}
