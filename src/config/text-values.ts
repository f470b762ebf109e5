// What a text means as a value of a setting: a number, names with commas between them, or a word for nothing.
// Invariant: pure; a text that is not what a setting takes stays as it is, for the setting's form to refuse.
import { z } from "zod";
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

/** Null itself means that nothing is said. */
export function isWordForNull(key: keyof Config, value: unknown): boolean {
  const { wordForNull } = settings[key];
  return wordForNull !== undefined && wordForNull === value;
}
