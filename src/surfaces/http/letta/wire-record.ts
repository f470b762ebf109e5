// Builds the records of Letta's API from tables of fields: the schema of each field, and the source of its value.
// Invariant: the shape in the OpenAPI document, the JSON that is sent and its type follow from one table. A time has
// microseconds and `Z`.
import * as z from "zod";
import { each } from "../../../base/same-fields.ts";

export { each };

/** The schema of a field, and the source of its value: a key of the `Source` object, or a function of that object. */
type Field<Source> = readonly [form: z.ZodType, from: keyof Source | ((source: Source) => unknown)];
type Table<Source> = Readonly<Record<string, Field<Source>>>;

/** The JSON of a record. */
type Shown<Fields extends Table<never>> = { readonly [Name in keyof Fields]: z.output<Fields[Name][0]> };

export interface WireRecord<Source, Fields extends Table<never>> {
  readonly shape: z.ZodType<Shown<Fields>>;
  /** Returns the JSON of the record that takes its values from this object. */
  show(source: Source): Shown<Fields>;
}

/** Returns a function that builds a record from a table. The values of the record come from a `Source` object. */
export function recordOf<Source>() {
  return <const Fields extends Table<Source>>(fields: Fields): WireRecord<Source, Fields> => {
    const all: readonly (readonly [name: string, field: Field<Source>])[] = Object.entries(fields);
    const shape = z.looseObject(Object.fromEntries(all.map(([name, [form]]) => [name, form])));
    return {
      // The cast is sound: the shape has the schema of each field.
      shape: shape as unknown as z.ZodType<Shown<Fields>>,
      show(source) {
        const json: Record<string, unknown> = {};
        for (const [name, [, from]] of all) json[name] = typeof from === "function" ? from(source) : source[from];
        // The cast is sound: tests check every answer against the shape.
        return json as Shown<Fields>;
      },
    };
  };
}

export const text = z.string();
export const nullableText = z.string().nullable();
export const texts = z.array(z.string()).readonly();
export const whole = z.int();
export const flag = z.boolean();
export const json = z.record(z.string(), z.unknown());

/** Returns a field that always has this value. */
export function fixed<const Value extends string | number | boolean | null>(value: Value) {
  return [z.literal(value), () => value] as const;
}

/** Returns fields that are always null, because their meaning in Letta has no equivalent here. */
export function nulls<const Name extends string>(...names: readonly Name[]) {
  return each(fixed(null), ...names);
}

/** A field with an empty list. */
export const emptyList = [z.array(z.unknown()).readonly(), (): readonly unknown[] => []] as const;

/** Returns the field for the id of a record, made of the prefix and the record's UUID. */
export function idWith(prefix: string) {
  return [text, ({ id }: { readonly id: string }) => `${prefix}-${id}`] as const;
}

/** Returns a time as records have it: ISO 8601 with microseconds. */
export function momentOf(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** Returns an object without the fields that are null or undefined, because null in a request means that a field is absent. */
export function given<Options extends object>(
  options: Options,
): { [Key in keyof Options]?: Exclude<Options[Key], undefined | null> } {
  const fields = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields) as { [Key in keyof Options]?: Exclude<Options[Key], undefined | null> };
}
