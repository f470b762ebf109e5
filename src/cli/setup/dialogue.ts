// What the questions about a model are asked with, and what they begin from.
// Invariant: types only.
import type { ProviderChoice, Setup } from "../../runtime/setup.ts";
import type { Questions } from "./questions.ts";

export interface Dialogue {
  readonly questions: Questions;
  readonly setup: Setup;
  readonly standing: Standing;
}

/** What holds before anything is chosen. */
export interface Standing {
  /** A base URL that a flag or the environment names: it holds whatever is saved. */
  readonly imposedBaseUrl: string | null;
  readonly providers: readonly ProviderChoice[];
}
