// Defines the routes of `/v1` that send messages to an agent or a conversation, read messages, and follow and cancel runs.
import * as z from "zod";
import { systemClock } from "../../../../base/clock.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { openIn } from "../../follow-turn.ts";
import type { Route, RouteCall } from "../../route.ts";
import { idOf } from "../ids.ts";
import { on } from "../letta-routes.ts";
import { messageQuery, queryTexts } from "../pages.ts";
import type { TurnRecord } from "../runtime-records.ts";
import { WireFault } from "../wire-fault.ts";
import {
  conversationName,
  conversationOf,
  namedPath,
  namedQuery,
  ownOf,
  readableConversation,
} from "./conversation-place.ts";
import { messagesQuery, readConversation, shownOf } from "./read-messages.ts";
import { runRecord, runSource } from "./run-record.ts";
import { followRequest, followRun } from "./run-routes.ts";
import { answerTurn, startUnread } from "./run-turn.ts";
import { messagesShape } from "./shown-message.ts";
import { answerShape } from "./turn-answer.ts";
import { conversationRequest, turnRequest, type TurnRequest } from "./turn-request.ts";

/** The state of each run after the attempt to cancel it, by the id of the run. */
const cancelledShape = z.record(z.string(), z.string());

const followConversation = z
  .looseObject({
    ...followRequest.unwrap().unwrap().shape,
    agent_id: z.string().nullish(),
    run_id: idOf("run").nullish(),
    otid: z.string().nullish(),
  })
  .nullish();

const ofAgent = "/agents/:agent/messages";

type SendCall = RouteCall<{ readonly agent: string }, unknown, TurnRequest>;

async function send({ runtime, params, body, signal }: SendCall, isStreaming: boolean): Promise<unknown> {
  const conversation = ownOf(runtime, params.agent);
  return answerTurn({ runtime, conversation, request: body, isStreaming, isExclusive: false, signal });
}

const ofConversation = "/conversations/:conversation";
const named = { params: namedPath, query: namedQuery };

export const messageRoutes: readonly Route[] = [
  on(
    `post ${ofAgent}`,
    "chat",
    "Send messages to an agent, or decide about calls; with `streaming`, the answer is streamed",
    {
      body: turnRequest,
      output: answerShape,
      mayStream: true,
      checksKey: true,
      run: (call) => send(call, call.body.streaming === true),
    },
  ),
  on(`post ${ofAgent}/stream`, "chat", "Send messages to an agent, or decide about calls, and stream the answer", {
    body: turnRequest,
    output: "events",
    checksKey: true,
    run: (call) => send(call, true),
  }),
  on(`post ${ofAgent}/async`, "chat", "Send messages to an agent without waiting for the answer", {
    body: turnRequest,
    output: runRecord.shape,
    run: async ({ runtime, params, body, signal }) => {
      const conversation = ownOf(runtime, params.agent);
      const call = { runtime, conversation, request: body, isStreaming: false, isExclusive: false, signal };
      const turn = await runtime.turns.find(await startUnread(call));
      return { ...runRecord.show(runSource(turn)), status: "created" };
    },
  }),
  on(`post ${ofAgent}/cancel`, "chat", "Cancel runs of an agent: the given ones, or all that are under way", {
    body: z.looseObject({ run_ids: z.array(idOf("run")).nullish() }),
    output: cancelledShape,
    run: ({ runtime, params: { agent }, body }) =>
      cancelRuns(runtime, { agent }, { runs: body.run_ids ?? [], of: `agent agent-${agent}` }),
  }),
  on(`get ${ofAgent}`, "read", "Get the newest or the oldest messages of an agent, each page oldest first", {
    query: messagesQuery.extend({ conversation_id: conversationName.optional() }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const { conversation_id: name = "default" } = query;
      const conversation = await readableConversation(runtime, name, `agent-${params.agent}`);
      const rows = await readConversation(runtime, conversation, query);
      return shownOf(query.order === "asc" ? rows : rows.toReversed(), query);
    },
  }),
  on(
    `post ${ofConversation}/messages`,
    "chat",
    "Send messages to a conversation, or decide about calls; the answer is streamed unless `streaming` is false",
    {
      ...named,
      body: conversationRequest,
      output: answerShape,
      mayStream: true,
      checksKey: true,
      run: async (call) => {
        const { runtime, body, signal } = call;
        const conversation = conversationOf(call);
        const isStreaming = body.streaming !== false;
        return answerTurn({ runtime, conversation, request: body, isStreaming, isExclusive: true, signal });
      },
    },
  ),
  on(`get ${ofConversation}/messages`, "read", "Get messages of a conversation, newest first", {
    params: namedPath,
    query: namedQuery.extend({ ...messageQuery, include_return_message_types: queryTexts.optional() }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const conversation = await readableConversation(runtime, params.conversation, query.agent_id);
      const rows = await readConversation(runtime, conversation, query);
      // A page of an agent's own messages is always shown oldest first, even if its messages were selected newest first.
      const isOwn = conversation.id === conversation.agentId && query.order !== "asc";
      return shownOf(isOwn ? rows.toReversed() : rows, query);
    },
  }),
  on(
    `post ${ofConversation}/stream`,
    "chat",
    "Stream the run that is under way, or a given one, from the message after a number",
    {
      ...named,
      body: followConversation,
      output: "events",
      run: async (call) => {
        const { runtime, body, signal } = call;
        const { id } = await conversationOf(call).find();
        const turn = await runToFollow(runtime, id, { runId: body?.run_id ?? null, otid: body?.otid ?? null });
        return followRun(runtime, turn, { request: body, signal });
      },
    },
  ),
  on(`post ${ofConversation}/cancel`, "chat", "Cancel the runs of a conversation that are under way", {
    ...named,
    output: cancelledShape,
    run: async (call) => {
      const { id, agentId } = await conversationOf(call).find();
      const place = { agent: agentId, conversation: id };
      return cancelRuns(call.runtime, place, { runs: [], of: `conversation conv-${id}` });
    },
  }),
];

/** Returns the run to follow: by its id, by its `otid`, or the one under way. Throws WireFault if there is none. */
async function runToFollow(
  { turns }: UserRuntime,
  conversationId: string,
  { runId, otid }: { readonly runId: string | null; readonly otid: string | null },
): Promise<TurnRecord> {
  if (runId !== null) return turns.find(runId);
  if (otid !== null) {
    const turn = await turns.findByKey(conversationId, otid);
    if (turn !== null) return turn;
    const detail = `No run found for otid=${otid}. The run may have expired or never existed.`;
    throw new WireFault(404, "turn_not_found", { detail });
  }
  const [active] = await turns.list({ conversation: conversationId, states: ["queued", "running"], limit: 1 });
  if (active !== undefined) return active;
  const detail = "INVALID_ARGUMENT: No active runs found for this conversation.";
  throw new WireFault(400, "turn_not_found", { detail });
}

interface RunsToCancel {
  /** The UUIDs of the runs; if empty, all runs under way are cancelled. */
  readonly runs: readonly string[];
  /** The agent or the conversation, as the error message names it. */
  readonly of: string;
}

/**
 * Cancels those of the runs that are running, and returns the state of each run by its id. A queued run is not cancelled: its
 * state is `failed`, and the run begins after the runs before it. Throws WireFault if `runs` is empty and no run is active.
 */
async function cancelRuns(
  runtime: UserRuntime,
  place: { readonly agent: string; readonly conversation?: string },
  { runs, of }: RunsToCancel,
): Promise<Readonly<Record<string, string>>> {
  const active = await runtime.turns.list({ ...place, states: ["queued", "running"] });
  const ids = runs.length === 0 ? active.map(({ id }) => id) : runs;
  if (ids.length === 0) throw new WireFault(409, "turn_not_found", { detail: `No active runs to cancel for ${of}.` });
  const states: Record<string, string> = {};
  for (const id of ids) {
    const turn = active.find((one) => one.id === id && one.state === "running");
    states[`run-${id}`] = turn !== undefined && (await stop(runtime, turn)) ? "cancelled" : "failed";
  }
  return states;
}

/** Maximum milliseconds to wait for the end of a turn after the request to stop it. */
const endMs = 5000;
const pollMs = 100;

/** Stops a running turn, waits until it has ended or `endMs` have passed, and returns whether it could be stopped. */
async function stop(runtime: UserRuntime, { id, agentId, conversationId }: TurnRecord): Promise<boolean> {
  const agent = await openIn(runtime, { agentId, conversationId }, { withoutCalls: true });
  // Reads the state again, because `stop` would also stop a turn of the conversation that began after this one.
  if ((await runtime.turns.find(id)).state !== "running") return false;
  if (!(await agent.stop())) return false;
  for (let waited = 0; waited < endMs; waited += pollMs) {
    const { state } = await runtime.turns.find(id);
    if (state !== "running") break;
    await systemClock.sleep(pollMs);
  }
  return true;
}
