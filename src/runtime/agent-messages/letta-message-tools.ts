// Creates Letta's tools for messages between agents, built on message-tools.ts.
// Invariant: names, arguments and results are Letta's; the rules for sending and waiting are those of message_agent.
import * as z from "zod";
import type { lettaMessageTools } from "../../config/settings.ts";
import { ToolError } from "../../base/errors.ts";
import { type AskingCall, defineTool, ownTool, repliedTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { callOf, messageSender, messageText, type MessageToolDeps, recipientOf } from "./message-tools.ts";

type LettaMessageTool = (typeof lettaMessageTools)[number];

const toOne = z.object({
  message: messageText,
  other_agent_id: z.string().describe("The id or the name of the agent."),
});
const toMany = z.object({
  message: messageText,
  match_all: z.array(z.string()).optional().describe("Tags that an agent must have, all of them."),
  match_some: z.array(z.string()).optional().describe("Tags of which an agent must have at least one."),
});

export function createLettaMessageTools(deps: MessageToolDeps): Readonly<Record<LettaMessageTool, Tool>> {
  return {
    send_message_to_agent_and_wait_for_reply: createAskTool(deps),
    send_message_to_agent_async: createSendTool(deps),
    send_message_to_agents_matching_tags: createTagsTool(deps),
  };
}

function idOf({ store }: MessageToolDeps, named: string): Promise<string> {
  return recipientOf(store, named.replace(/^agent-(?=[\da-f-]{36}$)/iu, ""));
}

/** Creates a tool that waits for answers. `ask` sends the messages and returns null if the call must wait. */
function askingTool<Arguments extends z.ZodObject>(
  tool: { readonly name: LettaMessageTool; readonly description: string; readonly parameters: Arguments },
  ask: (args: z.output<Arguments>, call: AskingCall) => Promise<string | null>,
): Tool {
  const defined = defineTool({
    ...tool,
    effects: "memory",
    run: async (args, context) => (await ask(args as z.output<Arguments>, callOf(context))) ?? "Sent.",
  });
  return repliedTool(defined, { waits: () => true, ask: (args, call) => ask(args as z.output<Arguments>, call) });
}

function createAskTool(deps: MessageToolDeps): Tool {
  const send = messageSender(deps);
  async function ask({ message: text, other_agent_id: named }: z.output<typeof toOne>, call: AskingCall) {
    await send(call, { to: { agentId: await idOf(deps, named) }, text, waits: true });
    return null;
  }
  const description = "Write to another agent. Your turn pauses, and the result of this call is the agent's answer.";
  return askingTool({ name: "send_message_to_agent_and_wait_for_reply", description, parameters: toOne }, ask);
}

function createSendTool(deps: MessageToolDeps): Tool {
  const send = messageSender(deps);
  /** Returns where to send a text: as the answer to an open message of the agent `to`, or else as a new message to it. */
  async function addressOf({ agentId, conversationId }: AskingCall, to: string) {
    const known = await deps.store.agentMessages.list(agentId, { limit: 50 });
    const isAnswered = (id: string) => known.some(({ answers }) => answers === id);
    const open = known.find(
      (one) => one.agentId === to && one.toConversationId === conversationId && one.status !== "ended",
    );
    return open === undefined || isAnswered(open.id) ? { agentId: to } : { token: open.id };
  }
  const tool = defineTool({
    name: "send_message_to_agent_async",
    description: "Write to another agent without waiting. To an agent whose message you answer, it is the answer.",
    parameters: toOne,
    effects: "memory",
    run: async ({ message: text, other_agent_id: named }, context) => {
      const call = callOf(context);
      await send(call, { to: await addressOf(call, await idOf(deps, named)), text, waits: false });
      return "Successfully sent message";
    },
  });
  return ownTool(tool);
}

function createTagsTool(deps: MessageToolDeps): Tool {
  const send = messageSender(deps);
  /** Writes to all matching agents. Throws the first refusal only if all messages are refused. */
  async function ask({ message: text, match_all = [], match_some = [] }: z.output<typeof toMany>, call: AskingCall) {
    const matching = (await deps.store.agents.list()).filter(
      ({ id, tags }) =>
        id !== call.agentId &&
        match_all.every((tag) => tags.includes(tag)) &&
        (match_some.length === 0 || match_some.some((tag) => tags.includes(tag))),
    );
    const refusals: ToolError[] = [];
    for (const { id } of matching) {
      try {
        await send(call, { to: { agentId: id }, text, waits: true });
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        refusals.push(error);
      }
    }
    const [first] = refusals;
    if (first !== undefined && refusals.length === matching.length) throw first;
    return matching.length === 0 ? "[]" : null;
  }
  const description =
    "Write to all agents with these tags. Your turn pauses, and the result is a list of their answers.";
  return askingTool({ name: "send_message_to_agents_matching_tags", description, parameters: toMany }, ask);
}
