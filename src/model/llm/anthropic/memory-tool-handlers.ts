// Creates handlers with which a program that uses `@anthropic-ai/sdk` runs Anthropic's memory tool on an agent's memory.
// Invariant: results and errors reach the model with the documented text, even if the program has another copy of the SDK.
// The public types use no type of the SDK, because the SDK's declarations load those of many packages.
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

/** A memory command as the SDK passes it; `command` decides which other fields are set. */
export interface SentMemoryCommand {
  readonly command: "view" | "create" | "str_replace" | "insert" | "delete" | "rename";
  readonly path?: string;
  readonly view_range?: readonly number[];
  readonly file_text?: string;
  readonly old_str?: string;
  readonly new_str?: string;
  readonly insert_line?: number;
  readonly insert_text?: string;
  readonly old_path?: string;
  readonly new_path?: string;
}

/** Runs memory commands: `runtime.memoryFiles`, or an object that calls `/api`. */
export interface MemoryCommandRunner {
  command(agent: string, command: SentMemoryCommand): Promise<{ readonly text: string; readonly isError: boolean }>;
}

/** The handlers that `betaMemoryTool` of the SDK takes. */
export type MemoryToolHandlers = {
  readonly [Command in SentMemoryCommand["command"]]: (command: SentMemoryCommand) => Promise<string>;
};

/** Returns the handlers for `betaMemoryTool` of the SDK. They read and edit the memory of `agent`, a name or an id. */
export function memoryToolHandlers(memoryFiles: MemoryCommandRunner, agent: string): MemoryToolHandlers {
  const run = async (command: SentMemoryCommand): Promise<string> => {
    const { text, isError } = await memoryFiles.command(agent, command);
    if (isError) throw failure(text);
    return text;
  };
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}

/** Returns an error that the SDK sends as `text`: a ToolError's content, or for another error `Error: ` and its message. */
function failure(text: string): ToolError {
  return Object.assign(new ToolError(text), { message: text.replace(/^Error: /u, "") });
}
