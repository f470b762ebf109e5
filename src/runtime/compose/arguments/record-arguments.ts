// The checks that functions for several kinds of records share: details of a record, and the range of a list.
// Invariant: only shapes are checked here; lengths and values are checked by the operation.
import { list, nullable, number, oneOf, optional, record, text } from "../../../base/arguments/argument-checks.ts";

export const details = {
  description: optional(nullable(text)),
  tags: optional(list(text)),
  metadata: optional(record),
};

export const range = {
  order: optional(oneOf("oldest", "newest")),
  after: optional(text),
  before: optional(text),
  limit: optional(nullable(number)),
};
