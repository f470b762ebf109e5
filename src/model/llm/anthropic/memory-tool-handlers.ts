// Handlers of Anthropic's memory tool for programs of `@anthropic-ai/sdk`, on the memory of an agent.
// Invariant: a result and an error reach the model with the documented text, whichever copy of the SDK runs the tool.
// The public types use no type of the SDK, because the SDK's declarations load those of many packages.
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

/** A command as the SDK passes it, with the fields of its kind. */
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

/** What runs the commands: `runtime.memoryFiles`, or a call of `/api`. */
export interface MemoryCommandRunner {
  command(agent: string, command: SentMemoryCommand): Promise<{ readonly text: string; readonly isError: boolean }>;
}

/** The handlers that `betaMemoryTool` of the SDK takes. */
export type MemoryToolHandlers = {
  readonly [Command in SentMemoryCommand["command"]]: (command: SentMemoryCommand) => Promise<string>;
};

/** Returns the handlers for `betaMemoryTool` of the SDK, on the memory of `agent`: its name or id. */
export function memoryToolHandlers(memoryFiles: MemoryCommandRunner, agent: string): MemoryToolHandlers {
  const run = async (command: SentMemoryCommand): Promise<string> => {
    const { text, isError } = await memoryFiles.command(agent, command);
    if (isError) throw failure(text);
    return text;
  };
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}

/** Returns an error that the SDK sends as `text`: of a ToolError it sends the content, of others `Error: ` and the message. */
function failure(text: string): ToolError {
  return Object.assign(new ToolError(text), { message: text.replace(/^Error: /u, "") });
}
