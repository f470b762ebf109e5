// The stream of a turn's events as a response, and the options of a request that continues a turn.
// Invariant: the reading, but not the turn, ends when the client disconnects.
import * as z from "zod";
import type { Agent } from "../../../agent/agent.ts";
import type { AgentEvent } from "../../../agent/events.ts";
import { systemClock } from "../../../base/clock.ts";
import { type EventStream, type SentEvent, startedStream } from "../event-stream.ts";
import type { RouteCall } from "../route.ts";
import { openIn } from "./found.ts";
import { type conversationPath, given } from "./parameters.ts";

const clientTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal("object") }),
});

export const turnOptions = z.strictObject({
  maxSteps: z.int().optional(),
  budget: z
    .strictObject({ tokens: z.number().nullable().optional(), dollars: z.number().nullable().optional() })
    .optional(),
  clientTools: z.array(clientTool).optional(),
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
});

type GivenOptions = z.output<typeof turnOptions> & { readonly onWaiting?: "supersede" | "refuse" | undefined };
type ContinueOptions = Parameters<Agent["resume"]>[0] & {};

export function optionsOf({ budget, onWaiting, ...options }: GivenOptions) {
  return { ...given(options), ...given({ onWaiting }), ...(budget === undefined ? {} : { budget: given(budget) }) };
}

/** Continues a turn, and returns the events from then on. */
export function continued<Params extends z.output<typeof conversationPath>, Body extends GivenOptions>(
  { runtime, params, body, signal }: RouteCall<Params, unknown, Body>,
  run: (agent: Agent, options: ContinueOptions) => AsyncIterable<AgentEvent>,
): Promise<EventStream> {
  const { maxSteps, budget, clientTools, model, systemPrompt } = body;
  const options = optionsOf({ maxSteps, budget, clientTools, model, systemPrompt });
  return streamOf(async () => ({ events: run(await openIn(runtime, params), options) }), signal);
}

/** In an object, because a promise that resolves to the events of a turn would await the end of the turn. */
export interface OpenedEvents {
  readonly events: AsyncIterable<AgentEvent>;
}

export function streamOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): Promise<EventStream> {
  return startedStream(eventsOf(open, signal), systemClock);
}

/** Opens a stream of events when it is first read. The reading, but not the turn, ends with the signal. */
async function* eventsOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of (await open()).events) {
      if (signal.aborted) return;
      yield { id: String(event.sequence), event: event.type, data: event };
    }
  } catch (error) {
    // Reading ends with the signal's reason when the client disconnects: nobody is there to be told.
    if (!signal.aborted) throw error;
  }
}
