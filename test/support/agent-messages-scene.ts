// Agents that write to each other, each with a scripted model of its own.
import type { Agent } from "../../src/agent/agent.ts";
import { textOf } from "../../src/base/message/message.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from "../../src/model/llm/scripted/scripted-model.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Runtime, UserRuntime } from "../../src/runtime/runtime.ts";
import type { AgentMessageRecord } from "../../src/store/port/agent-message-store.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";

export type Speaker = (request: ModelRequest, index: number) => ScriptedReply;

export const speaksTo = { addedTools: ["message_agent", "reply"] } satisfies Partial<AgentSettings>;

/** Options of a runtime whose agents speak as these functions say; the models have the names of the agents. */
export function speakers(speak: Readonly<Record<string, Speaker>>) {
  const models = Object.entries(speak).map(([name, replies]) => createScriptedModel({ name, replies }));
  const options: RuntimeOptions = { model: "scripted", models };
  return {
    options,
    models: Object.fromEntries(models.map((model) => [model.name, model])) as Record<string, ScriptedModel>,
  };
}

/** Creates agents with these names and models. */
export async function createSpeakers(
  runtime: Pick<UserRuntime, "agents">,
  names: readonly string[],
  settings: Partial<AgentSettings> = speaksTo,
): Promise<Readonly<Record<string, Agent>>> {
  const agents: Record<string, Agent> = {};
  for (const name of names)
    agents[name] = await runtime.agents.open(name, { create: { model: name, persona: "", human: "", settings } });
  return agents;
}

export const write = (to: string, text: string, wait = false): ScriptedReply => ({
  toolCalls: [{ name: "message_agent", arguments: wait ? { to, text, wait } : { to, text } }],
});

export const answer = (token: string, text: string): ScriptedReply => ({
  toolCalls: [{ name: "reply", arguments: { token, text } }],
});

/** The text of the last message of a request: an input, or the result of a tool. */
export function lastText({ messages }: Pick<ModelRequest, "messages">): string {
  const last = messages.at(-1)!;
  const [part] = last.content;
  return part?.type === "tool-result" ? `${part.status}: ${part.text}` : textOf(last);
}

/** The tokens in what was said since the agent spoke last. */
export function newTokens({ messages }: Pick<ModelRequest, "messages">): readonly string[] {
  const spoken = messages.findLastIndex(({ role }) => role === "assistant");
  const said = messages
    .slice(spoken + 1)
    .map(textOf)
    .join("\n");
  return [...said.matchAll(/token ([0-9a-f]{8})/gu)].map(([, token]) => token!);
}

/** An agent that answers every message, and writes to all others whenever it is given one. */
export function talkative(name: string, names: readonly string[], wait: boolean): Speaker {
  const others = names.filter((other) => other !== name);
  return (request, index) => {
    const last = request.messages.at(-1);
    if (last?.role !== "user") return { text: `${name} is done` };
    const tokens = newTokens(request);
    return {
      toolCalls: [
        ...tokens.map((token) => ({ name: "reply", arguments: { token, text: `${name} answers` } })),
        ...others.map((to) => ({ name: "message_agent", arguments: { to, text: `from ${name} ${index}`, wait } })),
      ].map((call, at) => ({ ...call, callId: `${name}-${index}-${at}` })),
    };
  };
}

/** Says always the same. */
export const said =
  (text: string): Speaker =>
  () => ({ text });

/** Gives these replies in order, then "done". */
export const first =
  (...replies: ReturnType<Speaker>[]): Speaker =>
  (_request, index) =>
    replies[index] ?? { text: "done" };

/** Waits until nothing runs and all messages have ended. */
export async function settled(runtime: Runtime, name: string): Promise<readonly AgentMessageRecord[]> {
  for (let tries = 0; tries < 20; tries += 1) {
    await runtime.agentMessages.deliver();
    await runtime.idle();
    const messages = await runtime.agentMessages.list(name, { limit: 1000 });
    if (messages.every(({ status }) => status === "ended")) return messages;
  }
  throw new Error(`messages of ${name} do not end`);
}

/** Returns a function that creates a user with these agents, in a runtime that `open` opens. */
export function worldsOn(open: (options: RuntimeOptions) => Promise<Runtime>) {
  let worlds = 0;
  return async (speak: Readonly<Record<string, Speaker>>, settings: object = speaksTo, more: RuntimeOptions = {}) => {
    worlds += 1;
    const { options, models } = speakers(speak);
    const userId = `user-${worlds}`;
    const again = () => open({ ...options, ...more, userId });
    const runtime = await again();
    const agents = await createSpeakers(runtime, Object.keys(speak), settings);
    return { runtime, models, agents, open: again, userId };
  };
}
