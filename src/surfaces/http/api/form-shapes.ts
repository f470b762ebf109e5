// The JSON of records and options, from the forms of their fields.
// Invariant: a time is ISO 8601 on the wire, and a Date for a handler.
import * as z from "zod";
import type { ChoiceForm, Fields, Form, OptionsOf, RecordOf } from "../../../base/arguments/forms.ts";
import { sentTime } from "../wire-time.ts";

/** What JSON has for a value. */
type Json<Value> = Value extends Date ? string : Value;
type JsonOf<Values> = { [Name in keyof Values]: Json<Values[Name]> };

/** A record as a response has it. */
export function recordShape<Of extends Fields>(fields: Of): z.ZodType<JsonOf<RecordOf<Of>>> {
  const shapes = Object.entries(fields).map(([name, form]) => [name, shapeOf(form, z.iso.datetime())]);
  return z.looseObject(Object.fromEntries(shapes)) as unknown as z.ZodType<JsonOf<RecordOf<Of>>>;
}

/** Options as a request has them. Those of `required` must be given. */
export function optionsShape<Of extends Fields, const Required extends keyof Of & string = never>(
  fields: Of,
  required: readonly Required[] = [],
): z.ZodType<OptionsOf<Of, Required>, JsonOf<OptionsOf<Of, Required>>> {
  const shapes = Object.entries(fields).map(([name, form]) => {
    const shape = shapeOf(form, sentTime());
    return [name, (required as readonly string[]).includes(name) ? shape : shape.optional()];
  });
  return z.strictObject(Object.fromEntries(shapes)) as unknown as ReturnType<typeof optionsShape<Of, Required>>;
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
    case "moment":
      return moment;
    case "choice":
      return z.enum((form as ChoiceForm<string>).values);
  }
}
