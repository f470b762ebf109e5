// The query parameters of lists of messages and runs.
// Invariant: the cursor of a list of messages is the id of any message that is shown, also of one that is derived.
import * as z from "zod";
import { creationOrder, queryNumber } from "../page-query.ts";

export const listQuery = {
  limit: queryNumber.max(1000).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  order_by: creationOrder,
};

const messageCursor = z.string().startsWith("message-");

export const messageQuery = {
  ...listQuery,
  before: messageCursor.optional(),
  after: messageCursor.optional(),
};
