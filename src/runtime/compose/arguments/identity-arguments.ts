// The arguments and options of the functions for identities, with the check of each.
// Invariant: only shapes are checked here; lengths are checked where an identity is stored.
import {
  type CallChecks,
  later,
  list,
  oneOf,
  optional,
  options,
  record,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type { IdentityChange } from "../../../store/port/identity-store.ts";
import type { IdentityListOptions, IdentityOperations, NewIdentityOptions } from "../../identities.ts";
import { range } from "./record-arguments.ts";

const id = ["id", text] as const;
const kind = optional(oneOf("user", "org", "other"));
const fields = { kind, properties: optional(list(record, "Pass an array of { key, type, value }.")) };

export const identityChecks: CallChecks<IdentityOperations> = {
  create: later(["identity", options<NewIdentityOptions>({ ...fields, key: text, name: text, id: optional(text) })]),
  find: later(id),
  list: later([
    "options",
    optional(
      options<IdentityListOptions>({
        key: optional(text),
        name: optional(text),
        kind,
        ids: optional(list(text)),
        ...range,
      }),
    ),
  ]),
  update: later(id, ["change", options<IdentityChange>({ ...fields, key: optional(text), name: optional(text) })]),
  delete: later(id),
};
