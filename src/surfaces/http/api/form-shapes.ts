// Builds the schemas of records, options and parameters from contracts, which describe each value by a `Form`.
// Invariant: a time is ISO 8601 on the wire, and a Date for a handler; a handler gets a number of a query as a number.
import * as z from "zod";
import type {
  ChoiceForm,
  Fields,
  Form,
  FormKind,
  ListForm,
  OptionsForm,
  RecordForm,
  RecordOf,
} from "../../../base/arguments/forms.ts";
import type { OptionsArgument, ValueArgument } from "../../../runtime/contract.ts";
import { sentDay, sentTime } from "../wire-time.ts";

export const agentPath = z.strictObject({ agent: z.string().describe("The name or the id of an agent.") });
export const conversationPath = agentPath.extend({ conversation: z.uuid() });

export const queryNumber = z.coerce.number<string>().int().min(0);
const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? [given] : given));

export const whole = z.int().min(0, { abort: true });
export const moment = z.iso.datetime();

/** The type of a value in JSON: a Date becomes a string. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : Value extends object
      ? JsonOf<Value>
      : Value;
export type JsonOf<Values> = { readonly [Name in keyof Values]: Json<Values[Name]> };

/** Returns the schema of a record in a response. */
export function recordShape<Of extends Fields>(fields: Of): z.ZodType<JsonOf<RecordOf<Of>>> {
  const shapes = Object.entries(fields).map(([name, form]) => {
    const shape = shapeOf(form, returned);
    return [name, "isMaybe" in form ? shape.optional() : shape];
  });
  return z.looseObject(Object.fromEntries(shapes)) as unknown as z.ZodType<JsonOf<RecordOf<Of>>>;
}

/** Returns the schema of a value in a response. */
export function valueShape(form: Form<unknown>): z.ZodType {
  return shapeOf(form, returned);
}

type SentOptions = Pick<OptionsArgument, "fields" | "required">;

/** Returns the schema of a body that has these values and options, each under its name. */
export function bodyShape(values: readonly ValueArgument[], options: readonly SentOptions[]): z.ZodType {
  return sentShape(values, options, (form) => shapeOf(form, sent));
}

/** Returns the schema of a query that has these values and options. It converts texts to numbers, flags and lists. */
export function queryShape(values: readonly ValueArgument[], options: readonly SentOptions[]): z.ZodType {
  return sentShape(values, options, queriedShape);
}

function sentShape(
  values: readonly ValueArgument[],
  options: readonly SentOptions[],
  shapeFor: (form: Form<unknown>) => z.ZodType,
): z.ZodType {
  const shapeIn = (form: Form<unknown>, isOptional: boolean) =>
    isOptional ? shapeFor(form).optional() : shapeFor(form);
  const shapes = [
    ...values.map(({ name, form, isOptional }) => [name, shapeIn(form, isOptional)]),
    ...options.flatMap(({ fields, required }) =>
      Object.entries(fields).map(([name, form]) => [name, shapeIn(form, !required.includes(name))]),
    ),
  ];
  return z.strictObject(Object.fromEntries(shapes));
}

function queriedShape(form: Form<unknown>): z.ZodType {
  switch (form.kind) {
    case "count":
      return queryNumber;
    case "number":
      return z.coerce.number<string>();
    case "flag":
      return queryFlag;
    case "texts":
      return queryTexts;
    case "list":
      return queryTexts.pipe(plainShapeOf(form, sent) as z.ZodType<unknown, string[]>);
    default:
      return plainShapeOf(form, sent);
  }
}

/** The schemas that differ between requests and responses. */
interface Direction {
  readonly id: () => z.ZodType;
  readonly moment: () => z.ZodType;
}
const sent: Direction = { id: () => z.uuid({ abort: true }), moment: sentTime };
const returned: Direction = { id: z.string, moment: () => moment };

function shapeOf(form: Form<unknown>, direction: Direction): z.ZodType {
  const shape = plainShapeOf(form, direction);
  return form.isNullable ? shape.nullable() : shape;
}

function plainShapeOf(form: Form<unknown>, direction: Direction): z.ZodType {
  return shapesByKind[form.kind](form, direction);
}

const shapesByKind: { readonly [Kind in FormKind]: (form: Form<unknown>, direction: Direction) => z.ZodType } = {
  text: () => z.string(),
  id: (_, { id }) => id(),
  day: () => sentDay(),
  flag: () => z.boolean(),
  count: () => whole,
  moment: (_, { moment: time }) => time(),
  number: () => z.number(),
  texts: () => z.array(z.string()),
  object: () => z.record(z.string(), z.unknown()),
  record: (form) => recordShape((form as RecordForm).fields),
  records: (form) => z.array(recordShape((form as RecordForm).fields)),
  objects: () => z.array(z.looseObject({})),
  list: (form, direction) => z.array(shapeOf((form as ListForm<unknown>).item, direction)),
  options: (form, direction) => sentShape([], [form as OptionsForm], (of) => shapeOf(of, direction)),
  choice: (form) => z.enum((form as ChoiceForm<string>).values),
  json: () => z.unknown(),
  program: () => {
    throw new TypeError("Expected a value that JSON can express, got a value that only a program can pass.");
  },
};
