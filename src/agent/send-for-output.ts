// Runs a turn with an answer that must fit a schema. The model gets the schema, and is asked once more if its answer
// does not fit.
// Invariant: the last event is a `turn-end` with the value of an answer that fits, or an error is thrown after the
// events.
import { outermostObject } from "../context/read-answer.ts";
import { RequestError } from "../base/errors.ts";
import { loadPrompt } from "../context/prompts/load-prompt.ts";
import { type OutputForm, outputFormOf, type OutputSchema } from "../tool/output-schema.ts";
import type { AgentEvent, TurnEnd } from "./events.ts";
import { driveTurn } from "./lease/drive-turn.ts";
import type { SendOptions, SentMessages, TurnEvents } from "./turn-options.ts";

type OutputEvents<Value> = TurnEvents<TurnEnd & { readonly output: Value }>;

export interface OutputRequest<Value> {
  readonly input: string | SentMessages;
  readonly options: SendOptions;
  readonly schema: OutputSchema<Value>;
}

export interface OutputSender {
  /** Sends messages; `schema`: the JSON Schema of the answer. */
  send(input: SentMessages, options: SendOptions, schema: OutputForm<unknown>["jsonSchema"]): TurnEvents;
  readonly log: (line: string) => void;
}

/**
 * Runs the turn and returns its events. Throws RequestError `input_invalid` for a schema that cannot be used, and the same
 * errors as `send`.
 */
export function sendForOutput<Value>(sender: OutputSender, request: OutputRequest<Value>): OutputEvents<Value> {
  const form = outputFormOf(request.schema);
  const { input, options } = messagesOf(request);
  const note = `${loadPrompt("output-form")}\n\n${JSON.stringify(form.jsonSchema)}`;
  // The input is sent before the generator starts, so that an invalid input is refused at once.
  const first = sender.send({ messages: [...input.messages, fromProgram(note)] }, options, form.jsonSchema);
  return driveTurn(answers(sender, { form, first, options }), sender.log) as OutputEvents<Value>;
}

/** Returns the input as messages. A text becomes one message, with the files and the idempotency key of the options. */
function messagesOf<Value>({ input, options }: OutputRequest<Value>) {
  if (typeof input !== "string") return { input, options };
  const { files, idempotencyKey, ...others } = options;
  const message = {
    text: input,
    ...(files === undefined ? {} : { files }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  return { input: { messages: [message] }, options: others };
}

function fromProgram(text: string) {
  return { role: "system", text } as const;
}

interface Asked<Value> {
  readonly form: OutputForm<Value>;
  readonly first: TurnEvents;
  readonly options: SendOptions;
}

async function* answers<Value>(
  sender: OutputSender,
  { form, first, options }: Asked<Value>,
): AsyncGenerator<AgentEvent, void> {
  const { files: _files, idempotencyKey: _key, onWaiting: _waiting, afterMessage: _after, ...again } = options;
  const { end, checked } = yield* answerOf(first, form);
  if (checked.type === "fits") return yield withOutput(end, checked.value);
  yield end;
  const note = `${loadPrompt("output-mismatch")} ${checked.problem}`;
  const second = yield* answerOf(sender.send({ messages: [fromProgram(note)] }, again, form.jsonSchema), form);
  if (second.checked.type === "fits") return yield withOutput(second.end, second.checked.value);
  yield second.end;
  throw new RequestError(
    "output_invalid",
    `Expected an answer that fits \`output\`, got two that do not: ${second.checked.problem}. Simplify the schema, or use another model.`,
  );
}

/**
 * Yields the events before the end of the turn, and returns the end with the checked answer. Throws RequestError
 * `output_invalid` for a turn that ends without an answer.
 */
async function* answerOf<Value>(events: TurnEvents, form: OutputForm<Value>) {
  let answer = { step: 0, text: "" };
  for await (const event of events) {
    // Only the text of the last reply is the answer: earlier replies may have a text before their calls.
    if (event.type === "text-delta")
      answer = { step: event.step, text: event.step === answer.step ? answer.text + event.text : event.text };
    if (event.type === "retry") answer = { step: event.step, text: "" };
    if (event.type !== "turn-end") {
      yield event;
      continue;
    }
    if (event.stopReason === "end-turn") return { end: event, checked: form.check(outermostObject(answer.text)) };
    yield event;
    throw new RequestError(
      "output_invalid",
      `Expected an answer that fits \`output\`, got a turn that ended with "${event.stopReason}".`,
    );
  }
  throw new TypeError("Expected a turn to end with the event `turn-end`, got no such event.");
}

/** Returns the event `turn-end` with the answer's value; the stored event does not contain the value. */
function withOutput(end: TurnEnd, output: unknown): TurnEnd & { readonly output: unknown } {
  return { ...end, output };
}
