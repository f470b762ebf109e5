// The JSON of records, options and parameters, from the forms of their values.
// Invariant: a time is ISO 8601 on the wire, and a Date for a handler.
import * as z from "zod";
import type { ChoiceForm, Fields, Form, OptionsOf, RecordForm, RecordOf } from "../../../base/arguments/forms.ts";
import type { ValueArgument } from "../../../runtime/contract.ts";
import { sentTime } from "../wire-time.ts";
import { queryFlag, queryNumber, queryTexts } from "./parameters.ts";

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
  const shapes = Object.entries(fields).map(([name, form]) => [name, shapeOf(form, z.iso.datetime())]);
  return z.looseObject(Object.fromEntries(shapes)) as unknown as z.ZodType<JsonOf<RecordOf<Of>>>;
}

/** Options as a request has them. Those of `required` must be given. */
export function optionsShape<Of extends Fields, Required extends keyof Of>(
  fields: Of,
  required: readonly Required[],
): z.ZodType<OptionsOf<Of, Required>> {
  const shapes = Object.entries(fields).map(([name, form]) => {
    const shape = shapeOf(form, sentTime());
    return [name, required.includes(name as Required) ? shape : shape.optional()];
  });
  return z.strictObject(Object.fromEntries(shapes)) as unknown as z.ZodType<OptionsOf<Of, Required>>;
}

/** The values that a body has by their names. */
export function valuesShape(values: readonly ValueArgument[]): z.ZodType {
  const shapes = values.map(({ name, form, isOptional }) => {
    const shape = shapeOf(form, sentTime());
    return [name, isOptional ? shape.optional() : shape];
  });
  return z.strictObject(Object.fromEntries(shapes));
}

/** The values and options that a query has: texts, of which a handler gets numbers, flags and lists. */
export function queryShape(values: readonly ValueArgument[], options: Fields): z.ZodType {
  const single = values.map(({ name, form, isOptional }) => {
    const shape = queriedShape(form);
    return [name, isOptional ? shape.optional() : shape];
  });
  const optional = Object.entries(options).map(([name, form]) => [name, queriedShape(form).optional()]);
  return z.strictObject(Object.fromEntries([...single, ...optional]));
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

function shapeOf(form: Form<unknown>, moment: z.ZodType): z.ZodType {
  const shape = plainShapeOf(form, moment);
  return form.isNullable ? shape.nullable() : shape;
}

function plainShapeOf(form: Form<unknown>, moment: z.ZodType): z.ZodType {
  switch (form.kind) {
    case "text":
    case "id":
      return z.string();
    case "flag":
      return z.boolean();
    case "count":
      return z.int().min(0);
    case "moment":
      return moment;
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
