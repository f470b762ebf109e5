// A program that changes memory for the user outside of a turn.
import type { Trust } from "../base/message/message.ts";

/** Its name, such as that of an MCP client, and the trust class that the user gave it. */
export interface Writer {
  readonly client: string;
  readonly trust: Trust;
}
