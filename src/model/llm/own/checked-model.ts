// Checks the events of a model that the program provides, as they arrive.
// Invariant: an event that passes has all its fields, of the right types, and a complete reply ends with `end`.
import { describeKind } from "../../../base/arguments/argument-checks.ts";
import { ModelProtocolError } from "../../../base/errors.ts";
import type { Usage } from "../../../base/message/message.ts";
import { type Model, type ModelEvent, type ModelStopReason, withStream } from "../model.ts";

interface Rule {
  /** Completes the error text "Expected … to be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

type Rules<Fields> = { readonly [Name in keyof Fields]-?: Rule };

const text: Rule = { expected: "a string", accepts: (value) => typeof value === "string" };
const name: Rule = {
  expected: "a text that is not empty",
  accepts: (value) => typeof value === "string" && value !== "",
};
const json: Rule = { expected: "JSON as a string", accepts: text.accepts };
// Accepts a number of tokens that fits into an `integer` column of the database.
const tokens: Rule = {
  expected: "a whole number of tokens, at least 0",
  accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31,
};
const number: Rule = {
  expected: "a number of at least 0",
  accepts: (value) => Number.isFinite(value) && (value as number) >= 0,
};
const optional = ({ expected, accepts }: Rule): Rule => ({
  expected: `${expected}, or absent`,
  accepts: (value) => value === undefined || accepts(value),
});
const flag = optional({ expected: "true or false", accepts: (value) => typeof value === "boolean" });
const stopReasons: readonly ModelStopReason[] = ["end", "tool-calls", "length", "refusal"];
const stopReason: Rule = {
  expected: `one of ${stopReasons.map((reason) => `"${reason}"`).join(", ")}`,
  accepts: (value) => stopReasons.some((reason) => reason === value),
};
const usage: Rule = {
  expected: "{ inputTokens, outputTokens, cachedInputTokens }",
  accepts: (value) => typeof value === "object" && value !== null,
};

const usageRules: Rules<Usage> = {
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens,
  isEstimated: flag,
  droppedThoughts: optional(tokens),
  cacheMiss: optional(text),
};

type FieldsOf<Type extends ModelEvent["type"]> = Omit<Extract<ModelEvent, { readonly type: Type }>, "type">;

const eventRules: { readonly [Type in ModelEvent["type"]]: Rules<FieldsOf<Type>> } = {
  "text-delta": { text },
  "thought-delta": { text },
  "thought-signature": { signature: text },
  "tool-call": { callId: name, name, arguments: json },
  retry: { attempt: number, delayMs: number, reason: text },
  usage: { usage },
  end: { stopReason, usage },
};

/** Returns the model; its `stream` throws ModelProtocolError for an invalid event, and for a reply without the event `end`. */
export function withCheckedEvents(model: Model): Model {
  return withStream(model, async function* (...call) {
    let isEnded = false;
    for await (const event of model.stream(...call)) {
      if (isEnded) throw fault(model, "nothing after the event `end`", describeKind(event));
      checkEvent(model, event);
      isEnded = event.type === "end";
      yield event;
    }
    if (!isEnded && call[1].signal?.aborted !== true) throw fault(model, "the event `end` as the last one", "none");
  });
}

function checkEvent(model: Model, event: unknown): void {
  const { type, ...fields } = Object(event) as Record<string, unknown>;
  if (typeof type !== "string" || !Object.hasOwn(eventRules, type)) {
    const known = Object.keys(eventRules).map((each) => `"${each}"`);
    throw fault(model, `an event whose \`type\` is one of ${known.join(", ")}`, describeKind(type ?? event));
  }
  checkFields(model, fields, { of: `the event "${type}"`, rules: eventRules[type as ModelEvent["type"]] });
  if (type === "usage" || type === "end") {
    checkFields(model, Object(fields["usage"]) as object, {
      of: `\`usage\` of the event "${type}"`,
      rules: usageRules,
    });
  }
}

interface Shape {
  /** Name of the object that has the fields, for the error message. */
  readonly of: string;
  readonly rules: Readonly<Record<string, Rule>>;
}

function checkFields(model: Model, fields: object, { of, rules }: Shape): void {
  for (const [field, { expected, accepts }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(fields, field);
    if (!accepts(value)) throw fault(model, `\`${field}\` of ${of} to be ${expected}`, describeKind(value));
  }
}

function fault({ name: model }: Model, expected: string, got: string): ModelProtocolError {
  const message = `Expected from the model "${model}" ${expected}, got ${got}. Correct its \`stream\`: docs/library.md describes the events.`;
  return new ModelProtocolError(message, { provider: model, retryable: false });
}
