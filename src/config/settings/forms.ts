// Schemas that several settings share, with their descriptions.
// Invariant: a schema and its description agree.
import type { z } from "zod";
import { withScheme } from "../../base/with-scheme.ts";
import type { Form, Zod } from "./setting.ts";

export const maxInteger = 10_000_000;

export function wholeNumber(min: number): Form<z.ZodNumber> {
  return {
    form: (zod) => zod.number().int().min(min).max(maxInteger),
    expected: `a whole number from ${min} to ${maxInteger}`,
  };
}

/** Returns the form of a setting with these values. */
export function oneOf<const Text extends string>(...texts: readonly Text[]): Form<z.ZodType<Text>> {
  const quoted = texts.map((text) => `"${text}"`);
  return {
    form: (zod) => zod.enum(texts) as unknown as z.ZodType<Text>,
    expected: `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
  };
}

/** Makes a form nullable and keeps its description. */
export function orNull<Type extends z.ZodType>({ form, expected }: Form<Type>): Form<z.ZodNullable<Type>> {
  return { form: (zod) => zod.nullable(form(zod)), expected };
}

/** A text that is not blank. */
export const nonBlank = (zod: Zod): z.ZodString => zod.string().regex(/\S/u);

export const apiKey: Form<z.ZodNullable<z.ZodString>> = orNull({ form: nonBlank, expected: "a key" });

/** Paths are appended to the URL and it is shown, so it has neither query nor fragment and contains no secret. */
export const httpUrl: Form<z.ZodType<string>> = {
  form: (zod) =>
    zod.preprocess(
      (value) => (typeof value === "string" ? withScheme(value) : value),
      zod.url({ protocol: /^https?$/u }).regex(/^[^@?#\s]+$/u),
    ),
  expected:
    "an http:// or https:// URL (or a port of this machine, such as localhost:1234) without a user, a password, a query or a fragment",
};

/** A number over 0 and at most `max`. */
export function positive(max: number): (zod: Zod) => z.ZodNumber {
  return (zod) => zod.number().gt(0).max(max);
}
