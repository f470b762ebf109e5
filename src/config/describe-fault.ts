// What is wrong in a value that a form refuses, as a message about it shows it.
// Invariant: pure; of an object, only the refused part is shown, with its path.
import type { z } from "zod";
import { describeValue } from "./describe-value.ts";

/** The part that the first issue is about. `root` is the length of the path that leads to `value`. */
export function describeFault(value: unknown, { issues: [issue] }: z.ZodError, root = 0): string {
  const unknownKeys = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path.slice(root) ?? []), ...unknownKeys].map(String);
  if (path.length === 0 || Array.isArray(value)) return describeValue(value);
  const part = path.reduce<unknown>((whole, key) => partOf(whole, key), value);
  return `${part === undefined ? "nothing" : describeValue(part)} at ${describeValue(path.join("."))}`;
}

function partOf(whole: unknown, key: string): unknown {
  const isObject = typeof whole === "object" && whole !== null;
  return isObject && Object.hasOwn(whole, key) ? (whole as Readonly<Record<string, unknown>>)[key] : undefined;
}
