// Which tools are the runtime's own: their results come from the user's memory and from what the call was given, alone.
// Invariant: the mark is on the function that runs. A tool that says so of itself, or that takes another function, lacks it.
import type { Tool } from "./tool.ts";

const own = Symbol("the runtime's own tool");

/** Returns the tool, marked. */
export function ownTool(tool: Tool): Tool {
  const run: Tool["run"] = (args, context) => tool.run(args, context);
  Object.defineProperty(run, own, { value: true });
  return { ...tool, run };
}

export function isOwnTool({ run }: Tool): boolean {
  return own in run;
}
