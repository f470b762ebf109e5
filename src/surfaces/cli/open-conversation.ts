// Opens an existing conversation for a command: the most recent one, or that of --resume.
import { RequestError } from "../../base/errors.ts";
import type { CommandCall } from "./command.ts";
import type { Agent } from "./runtime-records.ts";

/** Returns the agent in the conversation. Throws RequestError `conversation_not_found` for an agent without one. */
export async function openConversation({ line, agent: name, runtime: open }: CommandCall): Promise<Agent> {
  const runtime = await open();
  const id = line.texts.resume ?? (await runtime.conversations.list(name, { limit: 1 }))[0]?.id;
  if (id === undefined)
    throw new RequestError("conversation_not_found", `"${name}" has no conversation yet, so there are no compactions.`);
  return runtime.agents.open(name, { conversation: { id }, withoutCalls: true });
}
