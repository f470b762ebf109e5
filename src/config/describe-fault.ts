// Describes the invalid part of a value for a message.
// Invariant: pure; of an object, the message contains only the invalid part and its path.
import type { z } from "zod";
import { describeValue } from "./describe-value.ts";

/** Describes the part that the first issue refers to. */
export function describeFault(value: unknown, { issues: [issue] }: z.ZodError): string {
  const unknownKeys = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknownKeys].map(String);
  if (path.length === 0 || Array.isArray(value)) return describeValue(value);
  const part = path.reduce<unknown>((whole, key) => partOf(whole, key), value);
  return `${part === undefined ? "nothing" : describeValue(part)} at ${describeValue(path.join("."))}`;
}

function partOf(whole: unknown, key: string): unknown {
  const isObject = typeof whole === "object" && whole !== null;
  return isObject && Object.hasOwn(whole, key) ? (whole as Readonly<Record<string, unknown>>)[key] : undefined;
}
