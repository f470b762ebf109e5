// Defines the routes of `/v1` for runs.
// Invariant: a run that no client reads goes on. Reading a run continues it if its process was killed. Pages of turns are
// read until enough of them match the query, because the runtime can filter by a turn's state, but not by Letta's status.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { TurnListOptions } from "../../../../runtime/turns/contract.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { EventStream } from "../../event-stream.ts";
import { continueLeft } from "../../follow-turn.ts";
import { type ReadEvent, readTurn } from "../../replay-turn.ts";
import type { Route } from "../../route.ts";
import { idOf } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { messageQuery, queryFlag, queryNumber, queryTexts, readWanted, turnsQuery } from "../pages.ts";
import type { TurnRecord } from "../runtime-records.ts";
import { clientText } from "../../fault.ts";
import { unserved, WireFault } from "../wire-fault.ts";
import { each, given } from "../wire-record.ts";
import { readRun, shownOf } from "./read-messages.ts";
import { pageOfRows } from "./row-pages.ts";
import { readRunExtension } from "./run-extension.ts";
import { reasonOfRun, runRecord, runSource, statesWith, statusOfRun, usageRecord } from "./run-record.ts";
import { streamOf, toItsEnd } from "./run-turn.ts";
import { messagesShape } from "./shown-message.ts";

const runKind: RecordKind<TurnRecord> = {
  param: "run",
  one: "a run",
  many: "runs, newest first",
  shape: runRecord.shape,
  show: (turns) => turns.map((turn) => runRecord.show(runSource(turn))),
};

const runsQuery = z.looseObject({
  ...turnsQuery("run"),
  agent_id: idOf("agent").optional(),
  conversation_id: idOf("conv").optional(),
  statuses: queryTexts.optional(),
  ...each(queryFlag.optional(), "active", "background"),
  stop_reason: z.string().optional(),
  ...each(unserved, "agent_ids", "ascending"),
});

export const followRequest = z
  .looseObject({ starting_after: z.int().min(0).nullish(), include_pings: z.boolean().nullish() })
  .nullish();

const run = recordRoutes("/runs", runKind);

export const runRoutes: readonly Route[] = [
  run.list({ query: runsQuery, run: ({ runtime, query }) => listRuns(runtime, query) }),
  on("get /runs/active", "read", "List the runs that are under way, newest first", {
    query: runsQuery,
    output: z.array(runRecord.shape),
    run: async (call) => runKind.show(await listRuns(call.runtime, { ...call.query, active: true }), call, false),
  }),
  run.get({ run: ({ runtime }, id) => currentRun(runtime, id) }),
  on("get /runs/:run/messages", "read", "Get the messages of a run, oldest first", {
    query: z.looseObject({ ...messageQuery, include_return_message_types: queryTexts.optional() }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      return shownOf(pageOfRows(await readRun(runtime, params.run), { ...query, order: query.order ?? "asc" }), query);
    },
  }),
  on(
    "post /runs/:run/stream",
    "chat",
    "Stream a run that was started in the background, from the message after a number",
    {
      body: followRequest,
      output: "events",
      run: async ({ runtime, params, body, signal }) => {
        return followRun(runtime, await runtime.turns.find(params.run), { request: body, signal });
      },
    },
  ),
  on("get /runs/:run/usage", "read", "Get the tokens of a run", {
    output: usageRecord.shape,
    run: async ({ runtime, params }) => usageRecord.show(await runtime.turns.steps(params.run, { limit: 1000 })),
  }),
  on("get /runs/:run/metrics", "read", "Get how long a run took", {
    output: z.looseObject({ id: z.string() }),
    run: async ({ runtime, params }) => {
      const turn = await runtime.turns.find(params.run);
      const { id, agent_id, total_duration_ns: run_ns } = runRecord.show(runSource(turn));
      const { length: num_steps } = await runtime.turns.steps(turn.id, { limit: 1000 });
      return { id, agent_id, project_id: null, run_start_ns: null, run_ns, num_steps, tools_used: null };
    },
  }),
  on("get /runs/:run/trace", "read", "Get the trace of a run, which is empty: traces are exported by OpenTelemetry", {
    query: z.object({ limit: queryNumber.optional() }),
    output: z.array(z.looseObject({})),
    run: async ({ runtime, params }) => {
      await runtime.turns.find(params.run);
      return [];
    },
  }),
];

const underWay = ["created", "running"];
const defaultLimit = 100;

type RunsQuery = z.output<typeof runsQuery>;

function listRuns({ turns }: UserRuntime, query: RunsQuery): Promise<readonly TurnRecord[]> {
  const { order, limit = defaultLimit, before, after } = query;
  const { filters, isWanted } = filtersOf(query);
  const options = { ...filters, order: order === "asc" ? ("oldest" as const) : ("newest" as const) };
  const range = { limit, ...given({ before, after }) };
  return readWanted(range, { isWanted }, (page) => turns.list({ ...options, ...page }));
}

/** Returns the filters for the runtime, and a predicate for the filters that the runtime does not have. */
function filtersOf({ stop_reason: reason, active, ...query }: RunsQuery) {
  const statuses = query.statuses ?? (active === true ? underWay : undefined);
  const filters: TurnListOptions = given({
    agent: query.agent_id,
    conversation: query.conversation_id,
    states: statuses && [...new Set(statuses.flatMap(statesWith))],
    isBackground: query.background,
  });
  const isWanted = (turn: TurnRecord): boolean =>
    (statuses?.includes(statusOfRun(turn)) ?? true) && (reason === undefined || reasonOfRun(turn) === reason);
  return { filters, isWanted };
}

/** Returns a run; continues its turn first if it is unfinished. Throws RequestError `turn_not_found`. */
async function currentRun(runtime: UserRuntime, turnId: string): Promise<TurnRecord> {
  const turn = await runtime.turns.find(turnId);
  const isLeft = turn.isBackground && turn.state === "interrupted" && turn.stopReason === null;
  if (!isLeft || !(await continueLeft(runtime, turn))) return turn;
  return runtime.turns.find(turnId);
}

/** Streams a run, from its beginning or after a message's number. Throws WireFault for a run in the foreground. */
export async function followRun(
  runtime: UserRuntime,
  turn: TurnRecord,
  { request, signal }: { readonly request: z.output<typeof followRequest>; readonly signal: AbortSignal },
): Promise<EventStream> {
  if (!turn.isBackground) {
    const detail = "INVALID_ARGUMENT: Run was not created in background mode, so it cannot be retrieved.";
    throw new WireFault(400, "turn_not_found", { detail });
  }
  const { protocol } = await runtime.agents.find(turn.agentId);
  const { conversationId: id, agentId } = turn;
  const read = toItsEnd(runtime, readTurn(runtime, turn, { signal }), { find: async () => ({ id, agentId }), signal });
  const events = storedEvents(read);
  return streamOf(
    { events, pause: null, extension: readRunExtension(turn), protocol },
    {
      isBackground: true,
      hasPings: request?.include_pings ?? true,
      startingAfter: request?.starting_after ?? 0,
      afterSequence: 0,
      turnId: turn.id,
      isNew: false,
    },
  );
}

/** Yields the events. Throws WireFault with the status 410 if the events are no longer stored. */
async function* storedEvents(events: AsyncIterable<ReadEvent>): AsyncGenerator<ReadEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "turn_not_found") throw error;
    const detail = `The run has expired: ${clientText(error)}`;
    throw new WireFault(410, "turn_not_found", { detail }, { cause: error });
  }
}
