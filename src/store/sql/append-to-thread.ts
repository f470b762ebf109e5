// Appends messages of the runtime's own.
import { appendMessages } from "./append-messages.ts";

/** One row when they were appended, none when the conversation stands elsewhere. */
export const appendToThread = `${appendMessages()} select 1 from moved`;
