// Defines the routes of `/v1` for steps, which are model calls.
// Invariant: in lists, streams and messages, the id of a step is the id of its reply. But lists are sorted by the id of the
// step's row in the database.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { StepListOptions } from "../../../../runtime/turns/contract.ts";
import type { Route } from "../../route.ts";
import { idOf } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { type ListRange, messageQuery, type PageQuery, readsBackwards, readWanted, turnsQuery } from "../pages.ts";
import type { TurnStep } from "../runtime-records.ts";
import { unserved } from "../wire-fault.ts";
import { each, given } from "../wire-record.ts";
import { readRun, shownOf } from "./read-messages.ts";
import { pageOfRows } from "./row-pages.ts";
import { keepFeedback, readFeedback } from "./run-extension.ts";
import { type ShownStep, stepRecord } from "./run-record.ts";
import { messagesShape } from "./shown-message.ts";

const stepsQuery = z.looseObject({
  ...turnsQuery("step"),
  agent_id: idOf("agent").optional(),
  model: z.string().optional(),
  ...each(unserved, "feedback", "has_feedback", "project_id", "tags", "trace_ids"),
  ...each(z.coerce.date().optional(), "start_date", "end_date"),
});

const stepKind: RecordKind<ShownStep> = {
  param: "step",
  one: "a model call",
  many: "model calls, newest first",
  shape: stepRecord.shape,
  show: (steps) => steps.map(stepRecord.show),
};

const withoutFeedback = (step: TurnStep): ShownStep => ({ step, feedback: null });

const step = recordRoutes("/steps", stepKind);

export const stepRoutes: readonly Route[] = [
  on("get /runs/:run/steps", "read", "List the model calls of a run, newest first", {
    query: z.looseObject(turnsQuery("step")),
    output: z.array(stepRecord.shape),
    run: async ({ runtime, params, query }) => {
      const steps = await runtime.turns.steps(params.run, await stepRange(runtime, query, 100));
      return steps.map(withoutFeedback).map(stepRecord.show);
    },
  }),
  step.list({
    query: stepsQuery,
    run: async ({ runtime, query }) => {
      const { order, ...range } = await stepRange(runtime, query, 50);
      const wanted = {
        isWanted: (one: TurnStep) => isWanted(one, query),
        isPast: isBeyond(query, (order === "newest") === readsBackwards(range) ? "newer" : "older"),
      };
      const read = (part: StepListOptions) => runtime.turns.stepsOfAgent(query.agent_id ?? null, { order, ...part });
      return (await readWanted(range, wanted, read)).map(withoutFeedback);
    },
  }),
  step.get({
    run: async ({ runtime }, id) => {
      const found = await findStep(runtime, id);
      return { step: found, feedback: readFeedback(await runtime.turns.find(found.turnId), found.messageId) };
    },
  }),
  on("get /steps/:step/messages", "read", "Get the messages of a model call, oldest first", {
    query: z.looseObject(messageQuery),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const { turnId, messageId } = await findStep(runtime, params.step);
      const rows = pageOfRows(await readRun(runtime, turnId), { ...query, order: query.order ?? "asc" });
      return shownOf(rows, {}).filter(({ step_id: id }) => id === `step-${messageId}`);
    },
  }),
  on("get /steps/:step/metrics", "read", "Get the times of a model call, which are not measured", {
    output: z.looseObject({ id: z.string() }),
    run: async ({ runtime, params }) => {
      const { id, run_id, agent_id } = stepRecord.show(withoutFeedback(await findStep(runtime, params.step)));
      const unmeasured = { llm_request_ns: null, step_ns: null, step_start_ns: null, tool_execution_ns: null };
      return { id, run_id, agent_id, base_template_id: null, project_id: null, provider_id: null, ...unmeasured };
    },
  }),
  on("get /steps/:step/trace", "read", "Get the request and the reply of a model call, which are not kept", {
    output: z.null(),
    run: async ({ runtime, params }) => {
      await findStep(runtime, params.step);
      return null;
    },
  }),
  on("patch /steps/:step/feedback", "chat", "Set what people think of a model call", {
    body: z.looseObject({ feedback: z.enum(["positive", "negative"]).nullish() }),
    output: stepRecord.shape,
    run: async ({ runtime, params, body: { feedback = null } }) => {
      const found = await findStep(runtime, params.step);
      await keepFeedback(runtime, found, feedback);
      return stepRecord.show({ step: found, feedback });
    },
  }),
];

type StepsQuery = z.output<typeof stepsQuery>;

function isWanted(
  { model: name, at }: TurnStep,
  { model = name, start_date: start = at, end_date: end = at }: StepsQuery,
): boolean {
  return (name === model || name.endsWith(`/${model}`)) && at >= start && at <= end;
}

/** Returns a predicate for steps beyond the query's dates. `next`: whether the reading goes to newer or older steps. */
function isBeyond(
  { start_date: start, end_date: end }: StepsQuery,
  next: "newer" | "older",
): (step: TurnStep) => boolean {
  if (next === "older") return ({ at }) => start !== undefined && at < start;
  return ({ at }) => end !== undefined && at > end;
}

/** Returns the step of a reply. Throws RequestError `step_not_found`. */
async function findStep({ conversations, turns }: UserRuntime, replyId: string): Promise<TurnStep> {
  const missing = new RequestError("step_not_found", `There is no step step-${replyId}.`);
  try {
    const { turnId } = await conversations.message(replyId);
    const found = (await turns.steps(turnId, { limit: 1000 })).find(({ messageId }) => messageId === replyId);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof RequestError) || !/^(?:message|turn)_not_found$/u.test(error.code)) throw error;
  }
  throw missing;
}

/** Returns the requested part of a list of steps, with row ids as cursors. Throws RequestError `step_not_found`. */
async function stepRange(
  runtime: UserRuntime,
  { order = "desc", before, after, limit }: PageQuery,
  defaultLimit: number,
): Promise<ListRange> {
  const rowOf = async (replyId: string | undefined): Promise<string | undefined> =>
    replyId === undefined ? undefined : (await findStep(runtime, replyId)).id;
  return {
    order: order === "asc" ? "oldest" : "newest",
    limit: Math.max(1, limit ?? defaultLimit),
    ...given({ before: await rowOf(before), after: await rowOf(after) }),
  };
}
