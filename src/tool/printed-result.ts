// The result of a tool whose code prints, in addition to the text for the model.
import type { PrintedOutput } from "../base/message/message.ts";

/** Returned by tools of the runtime only; a class, so that no JSON returned by a tool can be mistaken for one. */
export class PrintedResult {
  readonly status: "ok" | "failed";
  readonly text: string;
  readonly printed: PrintedOutput;

  constructor(status: "ok" | "failed", text: string, printed: PrintedOutput) {
    this.status = status;
    this.text = text;
    this.printed = printed;
  }
}
