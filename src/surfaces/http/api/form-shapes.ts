// The JSON of records, options and parameters, from the forms of their values.
// Invariant: a time is ISO 8601 on the wire, and a Date for a handler.
import * as z from "zod";
import type { ChoiceForm, Fields, Form, RecordForm, RecordOf } from "../../../base/arguments/forms.ts";
import type { OptionsArgument, ValueArgument } from "../../../runtime/contract.ts";
import { sentTime } from "../wire-time.ts";
import { queryFlag, queryNumber, queryTexts } from "./parameters.ts";
import { moment, whole } from "./shapes.ts";

/** What JSON has for a value. */
type Json<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : Value extends object
      ? JsonOf<Value>
      : Value;
export type JsonOf<Values> = { readonly [Name in keyof Values]: Json<Values[Name]> };

/** A record as a response has it. */
export function recordShape<Of extends Fields>(fields: Of): z.ZodType<JsonOf<RecordOf<Of>>> {
  const shapes = Object.entries(fields).map(([name, form]) => [name, shapeOf(form, moment)]);
  return z.looseObject(Object.fromEntries(shapes)) as unknown as z.ZodType<JsonOf<RecordOf<Of>>>;
}

/** The options that a body has. Those of `required` must be given. */
export function optionsShape({ fields, required }: Pick<OptionsArgument, "fields" | "required">): z.ZodType {
  return sentShape(namedForms(fields, required), (form) => shapeOf(form, sentTime()));
}

/** The values that a body has by their names. */
export function valuesShape(values: readonly ValueArgument[]): z.ZodType {
  return sentShape(values, (form) => shapeOf(form, sentTime()));
}

/** The values and options that a query has: texts, of which a handler gets numbers, flags and lists. */
export function queryShape(values: readonly ValueArgument[], options: Fields): z.ZodType {
  return sentShape([...values, ...namedForms(options, [])], queriedShape);
}

function namedForms(fields: Fields, required: readonly string[]): readonly ValueArgument[] {
  return Object.entries(fields).map(([name, form]) => ({ name, form, isOptional: !required.includes(name) }));
}

function sentShape(values: readonly ValueArgument[], shapeFor: (form: Form<unknown>) => z.ZodType): z.ZodType {
  const shapes = values.map(({ name, form, isOptional }) => {
    const shape = shapeFor(form);
    return [name, isOptional ? shape.optional() : shape];
  });
  return z.strictObject(Object.fromEntries(shapes));
}

function queriedShape(form: Form<unknown>): z.ZodType {
  switch (form.kind) {
    case "count":
      return queryNumber;
    case "flag":
      return queryFlag;
    case "texts":
      return queryTexts;
    default:
      return plainShapeOf(form, sentTime());
  }
}

function shapeOf(form: Form<unknown>, time: z.ZodType): z.ZodType {
  const shape = plainShapeOf(form, time);
  return form.isNullable ? shape.nullable() : shape;
}

function plainShapeOf(form: Form<unknown>, time: z.ZodType): z.ZodType {
  switch (form.kind) {
    case "text":
    case "id":
      return z.string();
    case "flag":
      return z.boolean();
    case "count":
      return whole;
    case "moment":
      return time;
    case "number":
      return z.number();
    case "texts":
      return z.array(z.string());
    case "object":
      return z.record(z.string(), z.unknown());
    case "record":
      return recordShape((form as RecordForm).fields);
    case "objects":
      return z.array(z.looseObject({}));
    case "choice":
      return z.enum((form as ChoiceForm<string>).values);
  }
}
