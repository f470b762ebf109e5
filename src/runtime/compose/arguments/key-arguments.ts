// The arguments and options of the functions for keys, with the check of each.
// Invariant: only shapes are checked here; names and secrets are checked where a key is created.
import {
  type CallChecks,
  later,
  oneOf,
  optional,
  options,
  text,
  textOr,
} from "../../../base/arguments/argument-checks.ts";
import type { KeyScope } from "../../../store/port/key-store.ts";
import type { HostKeys, KeyOperations, KeyOptions } from "../../keys.ts";

const keyOptions = [
  "options",
  optional(
    options<KeyOptions>({
      name: optional(text),
      scope: optional(oneOf<KeyScope>("read", "chat", "admin")),
      agent: optional(text),
      secret: optional(text),
    }),
  ),
] as const;
const id = ["id", text] as const;
const userId = ["userId", textOr("Pass the id of a user of your program.")] as const;

export const keyChecks: CallChecks<KeyOperations> = { create: later(keyOptions), revoke: later(id) };

export const hostKeyChecks: CallChecks<HostKeys> = {
  create: later(userId, keyOptions),
  list: later(userId),
  revoke: later(userId, id),
  verify: later(["secret", text]),
};
