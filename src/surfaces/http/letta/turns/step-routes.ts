// Routes of `/v1` about steps: model calls.
// Invariant: a step has the same id in lists, streams and messages.
import * as z from "zod";
import { route, type Route } from "../../route.ts";
import { idOf } from "../ids.ts";
import { listQuery, messageQuery } from "./message-query.ts";
import { readRun } from "./read-messages.ts";
import { pageOfRows } from "./row-pages.ts";
import { keepFeedback, readFeedback } from "./run-notes.ts";
import { shownStep } from "./run-shape.ts";
import { messagesShape, stepShape } from "./shape-schemas.ts";
import { findStep, stepRange } from "./step-pages.ts";
import { unserved } from "../unserved.ts";

const stepPath = z.looseObject({ step: idOf("step") });

const stepsQuery = z.looseObject({
  ...listQuery,
  before: idOf("step").optional(),
  after: idOf("step").optional(),
  agent_id: idOf("agent").optional(),
  model: z.string().optional(),
  feedback: unserved,
  has_feedback: unserved,
  project_id: unserved,
  tags: unserved,
  trace_ids: unserved,
  start_date: z.coerce.date().optional(),
  end_date: z.coerce.date().optional(),
});

type StepsQuery = z.output<typeof stepsQuery>;

export const stepRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/steps",
    summary: "List model calls, newest first",
    scope: "read",
    query: stepsQuery,
    output: z.array(stepShape),
    run: async ({ runtime, query }) => {
      const steps = await runtime.turns.stepsOfAgent(query.agent_id ?? null, await stepRange(runtime, query, 50));
      return steps.filter((step) => isWanted(step, query)).map((step) => shownStep(step));
    },
  }),
  route({
    method: "get",
    path: "/steps/:step",
    summary: "Get a model call",
    scope: "read",
    params: stepPath,
    output: stepShape,
    run: async ({ runtime, params }) => {
      const step = await findStep(runtime, params.step);
      return shownStep(step, readFeedback(await runtime.turns.find(step.turnId), step.messageId));
    },
  }),
  route({
    method: "get",
    path: "/steps/:step/messages",
    summary: "Get the messages of a model call, oldest first",
    scope: "read",
    params: stepPath,
    query: z.looseObject(messageQuery),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const { turnId, messageId } = await findStep(runtime, params.step);
      const rows = pageOfRows(await readRun(runtime, turnId), { ...query, order: query.order ?? "asc" });
      const shown = rows.flatMap((row) => row.shown);
      return shown.filter(({ step_id: id }) => id === `step-${messageId}`);
    },
  }),
  route({
    method: "get",
    path: "/steps/:step/metrics",
    summary: "Get the times of a model call, which are not measured",
    scope: "read",
    params: stepPath,
    output: z.looseObject({ id: z.string() }),
    run: async ({ runtime, params }) => {
      const { id, run_id, agent_id } = shownStep(await findStep(runtime, params.step));
      const unmeasured = { llm_request_ns: null, step_ns: null, step_start_ns: null, tool_execution_ns: null };
      return { id, run_id, agent_id, base_template_id: null, project_id: null, provider_id: null, ...unmeasured };
    },
  }),
  route({
    method: "get",
    path: "/steps/:step/trace",
    summary: "Get the request and the reply of a model call, which are not kept",
    scope: "read",
    params: stepPath,
    output: z.null(),
    run: async ({ runtime, params }) => {
      await findStep(runtime, params.step);
      return null;
    },
  }),
  route({
    method: "patch",
    path: "/steps/:step/feedback",
    summary: "Set what people think of a model call",
    scope: "chat",
    params: stepPath,
    body: z.looseObject({ feedback: z.enum(["positive", "negative"]).nullish() }),
    output: stepShape,
    run: async ({ runtime, params, body }) => {
      const step = await findStep(runtime, params.step);
      const feedback = body.feedback ?? null;
      await keepFeedback(runtime, step, feedback);
      return shownStep(step, feedback);
    },
  }),
];

function isWanted(
  step: Parameters<typeof shownStep>[0],
  { model, start_date: start, end_date: end }: StepsQuery,
): boolean {
  const isOfModel = model === undefined || step.model === model || step.model.endsWith(`/${model}`);
  return isOfModel && (start === undefined || step.at >= start) && (end === undefined || step.at <= end);
}
