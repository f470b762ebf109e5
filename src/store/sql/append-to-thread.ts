// Appends messages of the runtime's own.
import { appendMessages } from "./append-messages.ts";

/** One row if they were appended, none if the leaf is another. */
export const appendToThread = `${appendMessages()} select 1 from moved`;
