// Routes of `/v1` about runs.
// Invariant: a run that nobody follows goes on; reading one whose process was killed continues it.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { EventStream } from "../../event-stream.ts";
import { route, type Route } from "../../route.ts";
import { type ReadEvent, readTurn } from "../../replay-turn.ts";
import { idOf } from "../ids.ts";
import { queryFlag, queryNumber, queryTexts } from "../page-query.ts";
import { listQuery, messageQuery } from "./message-query.ts";
import { readRun, shownOf } from "./read-messages.ts";
import { pageOfRows } from "./row-pages.ts";
import { currentRun, listRuns } from "./run-lists.ts";
import { readNotes } from "./run-notes.ts";
import { shownRun, shownStep, shownUsage } from "./run-shape.ts";
import { streamOf } from "./run-turn-route.ts";
import { messagesShape, runShape, stepShape, usageShape } from "./shape-schemas.ts";
import { stepRange } from "./step-pages.ts";
import { WireFault } from "../wire-fault.ts";
import type { TurnRecord } from "./runtime-records.ts";
import { unserved } from "../unserved.ts";

const runPath = z.looseObject({ run: idOf("run") });

const runsQuery = z.looseObject({
  ...listQuery,
  before: idOf("run").optional(),
  after: idOf("run").optional(),
  agent_id: idOf("agent").optional(),
  conversation_id: idOf("conv").optional(),
  statuses: queryTexts.optional(),
  active: queryFlag.optional(),
  background: queryFlag.optional(),
  stop_reason: z.string().optional(),
  agent_ids: unserved,
  ascending: unserved,
});

const stepsQuery = z.looseObject({ ...listQuery, before: idOf("step").optional(), after: idOf("step").optional() });

export const followRequest = z
  .looseObject({ starting_after: z.int().min(0).nullish(), include_pings: z.boolean().nullish() })
  .nullish();

const underWay = ["created", "running"];

type ListQuery = z.output<typeof runsQuery>;

function list(runtime: UserRuntime, query: ListQuery): Promise<readonly TurnRecord[]> {
  const {
    agent_id: agentId,
    conversation_id: conversationId,
    background: isBackground,
    stop_reason: stopReason,
  } = query;
  const statuses = query.statuses ?? (query.active === true ? underWay : undefined);
  return listRuns(runtime, { ...query, agentId, conversationId, isBackground, stopReason, statuses });
}

export const runRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/runs",
    summary: "List runs, newest first",
    scope: "read",
    query: runsQuery,
    output: z.array(runShape),
    run: async ({ runtime, query }) => (await list(runtime, query)).map(shownRun),
  }),
  route({
    method: "get",
    path: "/runs/active",
    summary: "List the runs that are under way, newest first",
    scope: "read",
    query: runsQuery,
    output: z.array(runShape),
    run: async ({ runtime, query }) => (await list(runtime, { ...query, active: true })).map(shownRun),
  }),
  route({
    method: "get",
    path: "/runs/:run",
    summary: "Get a run",
    scope: "read",
    params: runPath,
    output: runShape,
    run: async ({ runtime, params }) => shownRun(await currentRun(runtime, params.run)),
  }),
  route({
    method: "get",
    path: "/runs/:run/messages",
    summary: "Get the messages of a run, oldest first",
    scope: "read",
    params: runPath,
    query: z.looseObject({ ...messageQuery, include_return_message_types: queryTexts.optional() }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      return shownOf(pageOfRows(await readRun(runtime, params.run), { ...query, order: query.order ?? "asc" }), query);
    },
  }),
  route({
    method: "post",
    path: "/runs/:run/stream",
    summary: "Stream a run that was started in the background, from the message behind a number",
    scope: "chat",
    params: runPath,
    body: followRequest,
    output: "events",
    run: async ({ runtime, params, body, signal }) => {
      return followRun(runtime, await runtime.turns.find(params.run), { request: body, signal });
    },
  }),
  route({
    method: "get",
    path: "/runs/:run/usage",
    summary: "Get the tokens of a run",
    scope: "read",
    params: runPath,
    output: usageShape,
    run: async ({ runtime, params }) => shownUsage(await runtime.turns.steps(params.run, { limit: 1000 })),
  }),
  route({
    method: "get",
    path: "/runs/:run/steps",
    summary: "List the model calls of a run, newest first",
    scope: "read",
    params: runPath,
    query: stepsQuery,
    output: z.array(stepShape),
    run: async ({ runtime, params, query }) => {
      const steps = await runtime.turns.steps(params.run, await stepRange(runtime, query, 100));
      return steps.map((step) => shownStep(step));
    },
  }),
  route({
    method: "get",
    path: "/runs/:run/metrics",
    summary: "Get how long a run took",
    scope: "read",
    params: runPath,
    output: z.looseObject({ id: z.string() }),
    run: async ({ runtime, params }) => {
      const turn = await runtime.turns.find(params.run);
      const { id, agent_id, total_duration_ns: run_ns } = shownRun(turn);
      const { length: num_steps } = await runtime.turns.steps(turn.id, { limit: 1000 });
      return { id, agent_id, project_id: null, run_start_ns: null, run_ns, num_steps, tools_used: null };
    },
  }),
  route({
    method: "get",
    path: "/runs/:run/trace",
    summary: "Get the trace of a run, which is empty: traces are exported by OpenTelemetry",
    scope: "read",
    params: runPath,
    query: z.object({ limit: queryNumber.optional() }),
    output: z.array(z.looseObject({})),
    run: async ({ runtime, params }) => {
      await runtime.turns.find(params.run);
      return [];
    },
  }),
];

interface Following {
  readonly request: z.output<typeof followRequest>;
  readonly signal: AbortSignal;
}

/** Streams a run from its beginning or behind a number. Throws WireFault for a run that was not started in the background. */
export async function followRun(
  runtime: UserRuntime,
  turn: TurnRecord,
  { request, signal }: Following,
): Promise<EventStream> {
  if (!turn.isBackground) {
    const detail = "INVALID_ARGUMENT: Run was not created in background mode, so it cannot be retrieved.";
    throw new WireFault(400, "turn_not_found", { detail });
  }
  const { protocol } = await runtime.agents.find(turn.agentId);
  const events = storedEvents(readTurn(runtime, turn, { signal }));
  return streamOf(
    { events, pause: null, notes: readNotes(turn), protocol },
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

/** The events of a run are kept for some time only. */
async function* storedEvents(events: AsyncIterable<ReadEvent>): AsyncGenerator<ReadEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "turn_not_found") throw error;
    const detail = `The run has expired: ${error.message}`;
    throw new WireFault(410, "turn_not_found", { detail }, { cause: error });
  }
}
