// Defines the forms that several settings share. A form is a schema with a description of its values.
// Invariant: a schema and its description agree. A scheme is added to loopback addresses only, because http:// to
// another machine would send keys unencrypted.
import type { z } from "zod";
import type { Form, Zod } from "./setting.ts";

export const maxInteger = 10_000_000;

export function wholeNumber(min: number, max = maxInteger): Form<z.ZodNumber> {
  return { form: (zod) => zod.number().int().min(min).max(max), expected: `a whole number from ${min} to ${max}` };
}

/** Returns the form of a number from `min` to `max`. `unit` is part of the description, such as `seconds`. */
export function numberOf(unit: string, min: number, max: number): Form<z.ZodNumber> {
  return { form: (zod) => zod.number().min(min).max(max), expected: `a number of ${unit} from ${min} to ${max}` };
}

export function megabytes(max: number): Form<z.ZodNumber> {
  return { form: positive(max), expected: `a number over 0 and at most ${max}, in megabytes` };
}

/** Returns the form of a setting whose value is one of these texts. */
export function oneOf<const Text extends string>(...texts: readonly Text[]): Form<z.ZodType<Text>> {
  const quoted = texts.map((text) => `"${text}"`);
  return {
    form: (zod) => zod.enum(texts) as unknown as z.ZodType<Text>,
    expected: `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
  };
}

/** Returns the form that also allows null, with the same description. */
export function orNull<Type extends z.ZodType>({ form, expected }: Form<Type>): Form<z.ZodNullable<Type>> {
  return { form: (zod) => zod.nullable(form(zod)), expected };
}

/** Returns the schema of a list that also accepts one text: `none`, or items with commas between them. */
export function listOrText<Item>(zod: Zod, list: z.ZodType<Item>): z.ZodType<Item> {
  const itemsOf = (text: string): readonly string[] =>
    text === "none" ? [] : text.split(",").map((one) => one.trim());
  return zod.preprocess((value) => (typeof value === "string" ? itemsOf(value) : value), list);
}

/** A text that is not blank. */
export const nonBlank = (zod: Zod): z.ZodString => zod.string().regex(/\S/u);

export const apiKey: Form<z.ZodNullable<z.ZodString>> = orNull({ form: nonBlank, expected: "a key" });

/** An HTTP URL without query, fragment, user and password: paths are appended to the URL, and users see it. */
export const httpUrl: Form<z.ZodType<string>> = {
  form: (zod) =>
    zod.preprocess(
      (value) => (typeof value === "string" ? withScheme(value) : value),
      zod.url({ protocol: /^https?$/u }).regex(/^[^@?#\s]+$/u),
    ),
  expected:
    "an http:// or https:// URL (or a port of this machine, such as localhost:1234) without a user, a password, a query or a fragment",
};

/** Returns the schema of a number above 0 and at most `max`. */
export function positive(max: number): (zod: Zod) => z.ZodNumber {
  return (zod) => zod.number().gt(0).max(max);
}

/** Returns `http://localhost:1234` for `localhost:1234`, and every other text unchanged. */
export function withScheme(address: string): string {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}(?:\/\S{0,2000})?$/iu.test(address)
    ? `http://${address}`
    : address;
}
