// Creates the tools `message_agent` and `reply`, with which an agent writes to another agent and answers a message.
// Invariant: a call writes one message to an agent, however often it runs; a message that must not be sent is an error for
// the model.
import * as z from "zod";
import { ToolError } from "../../base/errors.ts";
import type { AgentMessageDraft, AgentMessageRecord } from "../../store/port/agent-message-store.ts";
import type { UserStore } from "../../store/port/store.ts";
import { type AskingCall, defineTool, ownTool, repliedTool } from "../../tool/define-tool.ts";
import type { Tool, ToolContext } from "../../tool/tool.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { refusalText } from "./message-texts.ts";

export type MessageToolDeps = Pick<OperationDeps, "messages" | "ids" | "turnTimes"> & {
  readonly store: Pick<UserStore, "agents" | "agentMessages">;
};

type Written = Pick<AgentMessageDraft, "text" | "waits" | "to">;

/** Returns a function that sends the message of a tool call. It throws ToolError if the message must not be sent. */
export function messageSender({ store, messages, ids, turnTimes }: MessageToolDeps) {
  return async ({ agentId, ...call }: AskingCall, written: Written): Promise<AgentMessageRecord> => {
    // A turn that waits for an answer continues later. Readers of its events see the rest only if events are stored.
    if (written.waits && turnTimes.keepEventsMs === 0)
      throw new ToolError(
        "Nothing was sent: this runtime does not keep events of turns, so a turn cannot wait for an answer. Write without `wait`.",
      );
    const sent = await store.agentMessages.send({ id: ids.next(), agentId, call, ...written });
    if ("refused" in sent) throw new ToolError(refusalText(sent.refused));
    messages.wake();
    return sent.message;
  };
}

/** Returns the id of an agent that the user may use. Throws ToolError. */
export async function recipientOf({ agents }: Pick<UserStore, "agents">, name: string): Promise<string> {
  const found = await agents.find(name);
  if (found !== null) return found.id;
  const names = (await agents.list()).map((agent) => agent.name);
  throw new ToolError(`Nothing was sent: there is no agent ${JSON.stringify(name)}. Agents: ${names.join(", ")}.`);
}

/** Returns the ids that identify the running tool call: its agent, conversation, message and call id. */
export function callOf({ agent, conversationId, callId, idempotencyKey }: ToolContext): AskingCall {
  const messageId = idempotencyKey.slice(0, idempotencyKey.indexOf(":"));
  return { agentId: agent.id, conversationId, messageId, callId };
}

/** The argument with the text of a message. */
export const messageText = z
  .string()
  .min(1)
  .describe("All that the other agent needs to know: it does not see this conversation.");

export function createMessageTools(deps: MessageToolDeps): Readonly<Record<"message_agent" | "reply", Tool>> {
  const send = messageSender(deps);
  const parameters = z.object({
    to: z.string().describe("The name of the agent."),
    text: messageText,
    wait: z.boolean().optional().describe("True: your turn pauses, and the result of this call is the agent's answer."),
  });
  const write = async (call: AskingCall, { to, text: body, wait = false }: z.output<typeof parameters>) =>
    send(call, { to: { agentId: await recipientOf(deps.store, to) }, text: body, waits: wait });
  const messageAgent = repliedTool(
    defineTool({
      name: "message_agent",
      description: "Write to another agent. Without wait, its answer, if it gives one, comes later as a message.",
      parameters,
      effects: "memory",
      run: async (args, context) => `Sent to ${(await write(callOf(context), args)).to}.`,
    }),
    {
      waits: (args) => (args as z.output<typeof parameters>).wait === true,
      ask: async (args, call) => {
        await write(call, args as z.output<typeof parameters>);
        return null;
      },
    },
  );
  const reply = ownTool(
    defineTool({
      name: "reply",
      description: "Answer a message of another agent, once.",
      parameters: z.object({ token: z.string().describe("The token that the message names."), text: messageText }),
      effects: "memory",
      run: async ({ token, text: body }, context) => {
        const message = await send(callOf(context), { to: { token }, text: body, waits: false });
        return `Sent to ${message.to}.`;
      },
    }),
  );
  return { message_agent: messageAgent, reply };
}
