// Stores the files that a tool returned, before its result is committed.
// Invariant: if a file cannot be attached, the call fails with the reason as its result, and the turn continues.
import { RequestError } from "../base/errors.ts";
import type { FilePart } from "../base/message/file-part.ts";
import type { ToolOutcome } from "../tool/run-tool-call.ts";
import type { Turn } from "./turn.ts";

export type KeptOutcome = Omit<ToolOutcome, "files"> & { readonly files: readonly FilePart[] };

export async function keepResultFiles(
  turn: Pick<Turn, "conversationId" | "memories">,
  { files = [], ...outcome }: ToolOutcome,
): Promise<KeptOutcome> {
  try {
    return { ...outcome, files: await turn.memories.attachments.keep(turn.conversationId, files) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return {
      status: "failed",
      text: `The tool ran, but a file of its result was refused: ${error.message}`,
      files: [],
    };
  }
}
