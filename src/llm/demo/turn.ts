// What the stand-in has to answer: the user's last words, what was done about them so far, and what the prompt shows.
// Invariant: a pure function of the request; only messages after the user's last words count as this turn's progress.
import type { FilePart } from "../../file-part.ts";
import { type ContentPart, filesOf, type Message, textOf, type ToolCallPart } from "../../message.ts";
import type { ModelRequest, ToolSpecification } from "../model.ts";
import { type ModuleView, readModules } from "./core-memory-view.ts";
import { readToday } from "./dates.ts";
import { type Event, readEvent, readObject, readResult } from "./envelope.ts";
import { examinedText } from "./sentences.ts";

/** A tool call of this turn with its result. */
export interface DoneCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly result: string;
  /** Which model reply of the turn asked for it, from 0. */
  readonly round: number;
}

/** Everything that an answer is made from. */
export interface Turn {
  readonly protocol: "native" | "heartbeat";
  /** What the turn answers; `latest` is what came last, which may be an event of the runtime. */
  readonly opening: "said" | "login" | "nothing";
  readonly latest: Event["kind"];
  readonly said: string;
  /** The message was longer than what the rules look at. */
  readonly clipped: boolean;
  /** Files on the message that the turn answers. */
  readonly files: readonly FilePart[];
  readonly done: readonly DoneCall[];
  readonly modules: readonly ModuleView[];
  readonly tools: readonly ToolSpecification[];
  /** The present day, when the prompt tells it. */
  readonly today: string | undefined;
  readonly mustCall: boolean;
}

/** Reads a request. */
export function readTurn(request: ModelRequest): Turn {
  const protocol = request.tools.some((tool) => tool.name === "send_message") ? "heartbeat" : "native";
  const events = request.messages.map((message) =>
    message.role === "user" ? readEvent(textOf(message), protocol) : undefined,
  );
  const start = events.findLastIndex((event) => event?.kind === "said" || event?.kind === "login");
  const opening = events[start];
  const modules = currentModules(request);
  const { text, clipped } = examinedText(opening?.kind === "said" ? opening.text : "");
  return {
    protocol,
    opening: opening === undefined ? "nothing" : opening.kind === "login" ? "login" : "said",
    latest: events.findLast((event) => event !== undefined)?.kind ?? "said",
    said: text,
    clipped,
    files: start < 0 ? [] : filesOf(request.messages[start]!),
    done: pairCalls(request.messages.slice(start + 1), protocol),
    modules,
    tools: request.tools,
    today:
      opening?.day ?? readToday(textOutside(request.system.memory, modules)) ?? readToday(request.system.instructions),
    mustCall: request.toolChoice === "required",
  };
}

/** What the prompt shows, but for what the end of the request shows anew. */
function currentModules({ system, state = "" }: ModelRequest): readonly ModuleView[] {
  const changed = new Map(readModules(state).map((module) => [module.label, module]));
  const known = readModules(system.memory).map((module) => changed.get(module.label) ?? module);
  return [...known, ...[...changed.values()].filter(({ label }) => !known.some((module) => module.label === label))];
}

/** Whether the request offers a tool. */
export function hasTool(turn: Turn, name: string): boolean {
  return turn.tools.some((tool) => tool.name === name);
}

/** A day that stands inside a module is a fact about something, not the present day. */
function textOutside(rendered: string, modules: readonly ModuleView[]): string {
  return modules
    .filter(({ value }) => value !== "")
    .reduce((text, { value }) => text.replace(value, () => ""), rendered);
}

function pairCalls(messages: readonly Message[], protocol: Turn["protocol"]): readonly DoneCall[] {
  const done: DoneCall[] = [];
  const open = new Map<string, number>();
  const replies = messages.filter((message) => message.role === "assistant");
  for (const [part, message] of messages.flatMap((one) =>
    one.content.map((content): [ContentPart, Message] => [content, one]),
  )) {
    const index = part.type === "tool-result" ? open.get(part.callId) : undefined;
    if (part.type === "tool-call") {
      open.set(part.callId, done.length);
      done.push({ ...unansweredCall(part), round: replies.indexOf(message) });
    } else if (part.type === "tool-result" && index !== undefined) {
      const result = protocol === "heartbeat" ? readResult(part.text) : { failed: false, text: part.text };
      done[index] = { ...done[index]!, failed: result.failed || part.status === "failed", result: result.text };
    }
  }
  return done;
}

function unansweredCall(part: ToolCallPart): Omit<DoneCall, "round"> {
  return { name: part.name, input: readObject(part.arguments) ?? {}, failed: true, result: "It was not carried out." };
}
