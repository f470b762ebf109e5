// Plays dialogues with the demo model on a fake memory: calls are executed as the runtime would, in both protocols.
// Invariant: only what a real turn would show the model is put into its requests.
import { codePointLength } from "../../../../src/base/code-points.ts";
import { createDemoModel } from "../../../../src/model/llm/demo/demo-model.ts";
import type { ModelEvent, ModelRequest, ToolSpecification } from "../../../../src/model/llm/model.ts";
import type { ContentPart, Message, ToolCallPart } from "../../../../src/base/message/message.ts";

export interface Recorded {
  readonly at: string;
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface FakeMemory {
  modules: Record<string, string>;
  limit: number;
  archival: string[];
  recall: Recorded[];
  tasks: string[];
}

export interface DialogueOptions {
  readonly protocol?: "native" | "heartbeat";
  readonly memory?: FakeMemory;
  readonly remove?: readonly string[];
  readonly add?: readonly ToolSpecification[];
  readonly day?: string;
}

export interface Exchange {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Record<string, unknown> }[];
}

export const createMemory = (human = "", persona = "I am Scout."): FakeMemory => ({
  modules: { persona, human },
  limit: 2000,
  archival: [],
  recall: [],
  tasks: [],
});

export function toolOf(
  name: string,
  properties: Record<string, string> = {},
  required = Object.keys(properties),
): ToolSpecification {
  const described = Object.fromEntries(
    Object.entries(properties).map(([key, type]) => [key, { type, description: key }]),
  );
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties: described, required } };
}

const memoryTools: readonly ToolSpecification[] = [
  toolOf("core_memory_append", { name: "string", content: "string" }),
  toolOf("core_memory_replace", { name: "string", old_content: "string", new_content: "string" }),
  toolOf("archival_memory_insert", { content: "string" }),
  toolOf("archival_memory_search", { query: "string" }),
  toolOf("conversation_search", { query: "string" }),
  toolOf("conversation_search_date", { start_date: "string", end_date: "string" }),
];

export const renderMemory = (memory: FakeMemory): string =>
  Object.entries(memory.modules)
    .map(([label, value]) => `<${label} characters="${codePointLength(value)}/${memory.limit}">\n${value}\n</${label}>`)
    .join("\n");

export async function collect(request: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of createDemoModel().stream(request, {})) events.push(event);
  return events;
}

export function createDialogue(options: DialogueOptions = {}) {
  const { protocol = "native", memory = createMemory(), remove = [], add = [], day = "2026-11-21" } = options;
  const tools = [
    ...memoryTools,
    ...add,
    ...(protocol === "heartbeat" ? [toolOf("send_message", { message: "string" })] : []),
  ].filter((tool) => !remove.includes(tool.name));
  const messages: Message[] = [];
  const requests: ModelRequest[] = [];
  const time = `${day} 10:00:00 AM UTC+0000`;
  const pushUser = (type: string, message: string): void => {
    const text = protocol === "heartbeat" ? JSON.stringify({ type, message, time }) : message;
    messages.push({ role: "user", content: [{ type: "text", text }] });
  };

  function runCalls(calls: readonly ToolCallPart[]): boolean {
    let wantsControl = protocol === "native";
    const results = calls.map((call): ContentPart => {
      const input = parseInput(call.arguments);
      wantsControl ||= input?.["request_heartbeat"] === true;
      const { failed, text } = input === undefined ? fail("Error parsing JSON") : runTool(memory, call.name, input);
      wantsControl ||= failed;
      const shown =
        protocol === "heartbeat" ? JSON.stringify({ status: failed ? "Failed" : "OK", message: text, time }) : text;
      return {
        type: "tool-result",
        callId: call.callId,
        name: call.name,
        status: failed ? "failed" : "ok",
        text: shown,
      };
    });
    messages.push({ role: "tool", content: results });
    return wantsControl;
  }

  async function step(): Promise<{ readonly text: string; readonly calls: ToolCallPart[] }> {
    const request: ModelRequest = {
      system: { instructions: "You are an agent.", memory: renderMemory(memory) },
      messages: [...messages],
      tools,
      maxOutputTokens: 4096,
      ...(protocol === "heartbeat" ? { toolChoice: "required" as const } : {}),
    };
    requests.push(request);
    const events = await collect(request);
    const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
    const calls = events.filter((event) => event.type === "tool-call");
    messages.push({
      role: "assistant",
      content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
    });
    return { text, calls };
  }

  async function say(said: string): Promise<Exchange> {
    memory.recall.push({ at: `${day} 10:00:00`, role: "user", text: said });
    pushUser("user_message", said);
    const calls: { name: string; input: Record<string, unknown> }[] = [];
    for (let count = 0; count < 30; count += 1) {
      const reply = await step();
      calls.push(...reply.calls.map(({ name, arguments: text }) => ({ name, input: parseInput(text) ?? {} })));
      const sent = reply.calls.filter((call) => call.name === "send_message").map((call) => messageOf(call));
      const shown = protocol === "native" && reply.calls.length === 0 ? reply.text : sent.join("");
      const goesOn = reply.calls.length > 0 && runCalls(reply.calls);
      if (shown !== "") memory.recall.push({ at: `${day} 10:00:01`, role: "assistant", text: shown });
      if (!goesOn) return { text: shown, calls };
      if (protocol === "heartbeat") pushUser("heartbeat", "");
    }
    throw new RangeError("The turn did not end.");
  }

  return { say, memory, messages, requests, pushUser, step };
}

function messageOf(call: ToolCallPart): string {
  const message = parseInput(call.arguments)?.["message"];
  return typeof message === "string" ? message : "";
}

function parseInput(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Outcome {
  readonly failed: boolean;
  readonly text: string;
}

function fail(text: string): Outcome {
  return { failed: true, text };
}

type Fields = Readonly<Record<string, string>>;
type FakeTool = (memory: FakeMemory, fields: Fields, input: Record<string, unknown>) => Outcome;

const done: Outcome = { failed: false, text: "None" };

const fakeTools: Readonly<Record<string, FakeTool>> = {
  core_memory_append: (memory, { name = "", content = "" }) => {
    const value = memory.modules[name] ?? "";
    return edit(memory, name, value === "" ? content : `${value}\n${content}`);
  },
  core_memory_replace: (memory, { name = "", old_content: old = "", new_content: written = "" }) => {
    const value = memory.modules[name] ?? "";
    if (old === "" || !value.includes(old)) return fail("Old content was not found.");
    return edit(
      memory,
      name,
      value.replaceAll(old, () => written),
    );
  },
  archival_memory_insert: (memory, { content = "" }) => {
    memory.archival.push(content);
    return done;
  },
  archival_memory_search: (memory, { query = "" }, input) =>
    page(
      memory.archival.map((one) => `Fri 2026-11-20 09:00, saved by you: ${one}`),
      input,
      query,
    ),
  conversation_search: (memory, { query = "" }, input) => page(memory.recall.map(showRecorded), input, query),
  conversation_search_date: (memory, { start_date: start = "", end_date: end = "" }, input) => {
    const inRange = memory.recall.filter(({ at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end);
    return page(inRange.map(showRecorded), input, "");
  },
  task_push: (memory, { task = "" }) => {
    memory.tasks.push(task);
    return done;
  },
  task_pop: (memory) => ({ failed: false, text: memory.tasks.shift() ?? "No tasks." }),
  send_message: () => done,
};

function runTool(memory: FakeMemory, name: string, input: Record<string, unknown>): Outcome {
  const fields = Object.fromEntries(
    Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  return fakeTools[name]?.(memory, fields, input) ?? fail(`No function named ${name}`);
}

function edit(memory: FakeMemory, label: string, value: string): Outcome {
  const length = codePointLength(value);
  if (length > memory.limit) return fail(`Edit failed: Exceeds ${memory.limit} character limit (requested ${length}).`);
  memory.modules[label] = value;
  return { failed: false, text: "None" };
}

function showRecorded({ at, role, text }: Recorded): string {
  return `Fri ${at.slice(0, 16)}, this conversation, ${role === "assistant" ? "you" : "user"}: ${text}`;
}

function page(all: readonly string[], input: Record<string, unknown>, query: string): Outcome {
  const hits = all.filter((item) => item.toLowerCase().includes(query.toLowerCase()));
  const number = Number(input["page"] ?? 0);
  const shown = hits.slice(number * 5, number * 5 + 5);
  if (shown.length === 0) return { failed: false, text: "No results found." };
  const lines = shown.map((item, index) => `[${number * 5 + index + 1}] ${item}`);
  return { failed: false, text: [`Results of ${hits.length}.`, ...lines, "(Recalled text.)"].join("\n") };
}
