// The conversation of a command: `--resume ID`, or the agent's last one.
import type { CommandCall } from "./command.ts";

/** Null when the agent has none yet. Throws RequestError `agent_not_found`. */
export async function chosenConversation(call: CommandCall): Promise<string | null> {
  const named = call.line.texts.resume;
  if (named !== undefined) return named;
  const [last] = await (await call.runtime()).conversations.list(call.agent, { limit: 1 });
  return last?.id ?? null;
}
