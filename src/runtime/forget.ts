// Operations that forget: they remove content from every place that can hold it, permanently.
// Invariant: types only; each operation acts for the runtime's user only, on the data with all agents.
import type {
  ForgettingOrigin,
  ForgettingRecord,
  ForgettingRequest,
  ForgottenPlace,
} from "../store/port/forgetting-store.ts";

/** At least one text, message or passage. A text has 3 or more letters or digits. */
export interface ForgetRequest extends Partial<Omit<ForgettingRequest, "kept">> {}

/** A message or a passage that a search finds for a text, and that does not contain it. */
export interface SimilarText {
  readonly kind: "message" | "passage";
  readonly id: string;
  readonly text: string;
  readonly at: Date;
}

export interface ForgetPreview {
  /** The texts that are removed: those of the request, copies of its messages and passages, lines that only name the subject. */
  readonly texts: readonly string[];
  /** Every place that holds the content. */
  readonly places: readonly ForgottenPlace[];
  /** To be added to the request by their ids if they are meant, too. Best first. */
  readonly similar: readonly SimilarText[];
  /** What the forgetting does not reach, one sentence each. */
  readonly outOfReach: readonly string[];
}

export interface Forgotten extends Pick<ForgetPreview, "texts" | "places" | "outOfReach"> {
  /** The id of the record; null if no place held the content, and nothing was changed. */
  readonly id: string | null;
}

export interface ForgetOperations {
  /** Finds every place that holds the content. Changes nothing. Throws as `apply`. */
  preview(request: ForgetRequest): Promise<ForgetPreview>;
  /**
   * Removes the content from every place in one transaction, including what was made from it, and interrupts the user's
   * running turns. It cannot be undone. Throws RequestError `input_invalid`, `message_not_found` or `passage_not_found`.
   */
  apply(request: ForgetRequest, options?: { readonly origin?: ForgettingOrigin }): Promise<Forgotten>;
  /** Returns what was forgotten when and by whom, without the content, newest first. */
  list(limit?: number): Promise<readonly ForgettingRecord[]>;
}
