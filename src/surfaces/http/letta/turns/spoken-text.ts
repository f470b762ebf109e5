// Calls by which a model speaks to the user: Letta shows them as what the assistant says.
// Invariant: a call whose arguments do not have the text is shown as a call.

/** The tool, and its argument with the text. */
export interface MessageTool {
  readonly name: string;
  readonly argument: string;
}

/** Returns what a call says to the user; null for any other call. */
export function spokenText(
  tool: MessageTool,
  call: { readonly name: string; readonly arguments: string },
): string | null {
  if (call.name !== tool.name) return null;
  try {
    const given = JSON.parse(call.arguments) as Readonly<Record<string, unknown>> | null;
    const text = given?.[tool.argument];
    return typeof text === "string" ? text : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
