// Opens the conversation that a command is about, without making one: the one used last, or that of --resume.
import { RequestError } from "../errors.ts";
import type { CommandCall } from "./command.ts";
import type { Agent } from "./runtime-records.ts";

/** Throws RequestError `conversation_not_found` for an agent that has had none. */
export async function openConversation({ line, agent: name, runtime: open }: CommandCall): Promise<Agent> {
  const runtime = await open();
  const id = line.texts.resume ?? (await runtime.conversations.list(name, 1))[0]?.id;
  if (id === undefined)
    throw new RequestError("conversation_not_found", `"${name}" has had no conversation yet: nothing left a window.`);
  return runtime.agents.open(name, { conversation: { id }, withoutCalls: true });
}
