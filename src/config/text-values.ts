// Parses a text as the value of a setting: a number, names separated by commas, or a word for null.
// Invariant: pure; a text that cannot be parsed is returned unchanged, and the setting's schema then rejects it.
import * as z from "zod";
import { type Config, settings } from "./settings.ts";
import { shape } from "./shape.ts";

export function valueOf(key: keyof Config, text: string): unknown {
  if (key === "modelInputs" && text === "none") return [];
  const form = withoutNull(shape[key]);
  if (form instanceof z.ZodArray) return text.split(",").map((name) => name.trim());
  return form instanceof z.ZodNumber && /^\d+(\.\d+)?$/u.test(text) ? Number(text) : text;
}

function withoutNull(form: z.ZodType): unknown {
  return form instanceof z.ZodNullable ? form.unwrap() : form;
}

/** Whether the value is the setting's word for null. Null itself means that the setting is absent. */
export function isWordForNull(key: keyof Config, value: unknown): boolean {
  const { wordForNull } = settings[key];
  return wordForNull !== undefined && wordForNull === value;
}
