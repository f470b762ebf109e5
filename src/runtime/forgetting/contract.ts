// Defines the operations that forget: they remove content from every place that can hold it, permanently.
// Invariant: each operation acts for the runtime's user only, on this user's data with every agent. This file checks types
// only; texts are checked before a search begins.
import { optional } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, optionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import {
  forgettingFields,
  forgettingOrigin,
  type ForgettingOrigin,
  type ForgettingRecord,
  forgottenPlaceFields,
} from "../../store/port/forgetting-store.ts";
import { admin, type Contract, optionalValue, optionsNamed, read } from "../contract.ts";

const remedy = "Pass an array, even for one item.";
const requestOptions = {
  /** Texts to remove everywhere, ignoring case and the white space between their words. */
  texts: form.list(form.text, remedy),
  /** Ids of messages and passages to remove completely, with all copies of their text. */
  messages: form.list(form.id, remedy),
  passages: form.list(form.id, remedy),
  /** Keeps the turns that asked for this forgetting, and lines that contain only the text and a name. Default false. */
  exact: form.flag,
};

/** A request to forget at least one text, message or passage. A text has 3 or more letters or digits. */
export interface ForgetRequest extends OptionsOf<typeof requestOptions> {}

const similarFields = {
  kind: form.choice("message", "passage"),
  id: form.id,
  text: form.text,
  at: form.moment,
};

/** A message or a passage that a search for a text to forget finds, although it does not contain that text. */
export interface SimilarText extends RecordOf<typeof similarFields> {}

const foundFields = {
  /** The texts to remove: those that the request contains or names by id, and lines with only such a text and a name. */
  texts: form.texts,
  /** Every place that contains the content. */
  places: form.records(forgottenPlaceFields),
  /** Places that the forgetting cannot reach, one sentence each. */
  outOfReach: form.texts,
};

const previewFields = {
  ...foundFields,
  /** Messages and passages that the user may want to forget too, best first. Their ids can be added to the request. */
  similar: form.records(similarFields),
};

export interface ForgetPreview extends RecordOf<typeof previewFields> {}

const forgottenFields = {
  ...foundFields,
  /** The id of the record; null if no place contained the content, so that nothing was changed. */
  id: form.nullable(form.id),
};

export interface Forgotten extends RecordOf<typeof forgottenFields> {}

export interface ForgetOperations {
  /** Finds every place that contains the content. Changes nothing. Throws the same errors as `apply`. */
  preview(request: ForgetRequest): Promise<ForgetPreview>;
  /**
   * Removes the content, and what was derived from it, from every place in one transaction, and interrupts the user's running
   * turns. It cannot be undone. Throws RequestError `input_invalid`, `message_not_found` or `passage_not_found`.
   */
  apply(request: ForgetRequest, options?: { readonly origin?: ForgettingOrigin }): Promise<Forgotten>;
  /** Returns the records of past forgettings, newest first: when and by whom, without the content. */
  list(limit?: number): Promise<readonly ForgettingRecord[]>;
}

const request = optionsNamed("request", requestOptions);

export const forgetContract = {
  preview: {
    args: [request],
    http: admin("POST /forget/preview", "List every place that holds a text, without changing any", previewFields),
  },
  apply: {
    args: [
      request,
      { name: "options", check: optional(optionsOf({ origin: forgettingOrigin })), sent: { origin: "api" } },
    ],
    http: admin("POST /forget", "Remove a text from every place, permanently", forgottenFields),
  },
  list: {
    args: [optionalValue("limit", form.count)],
    http: read("GET /forgettings", "List past forgettings: when and by whom, without the content", [forgettingFields]),
  },
} as const satisfies Contract<ForgetOperations>;
