// Checks the models, embedders, rerankers, clocks and pools that a program passes.
// Invariant: pure; an object of any class passes if it has the fields and functions that the runtime uses.
import { type ArgumentCheck, checkThat, argumentError } from "./argument-checks.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
export const isName = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0;
export const isFunction = (value: unknown): boolean => typeof value === "function";

export const model = shape("a model", {
  fields: { name: isName, contextWindow: isCount, stream: isFunction },
  form: "{ name, contextWindow, stream(request, { signal }) }",
  forText: 'To choose a model by its name, use `model: "…"`.',
});

export const embedder = shape("an embedder", {
  fields: { name: isName, dimensions: isCount, embed: isFunction, close: isFunction },
  form: "{ name, dimensions, embed(texts, options), close() }",
  forText: 'To choose an embedder by its name, use `embedding: "…"`.',
});

export const reranker = shape("a reranker", {
  fields: { name: isName, score: isFunction, close: isFunction },
  form: "{ name, score(query, texts, { signal }), close() }",
  forText: 'To choose a reranker by its name, use `rerankModel: "…"`.',
});

export const clock = shape("a clock", {
  fields: { now: isFunction, sleep: isFunction },
  form: "{ now(), sleep(ms, signal) }",
  forText: "",
});

export const pool = checkThat(
  "a Pool of the package pg",
  (value) => isObject(value) && isFunction(value["connect"]),
  "Pass `new pg.Pool({ … })`, or use `databaseUrl`.",
);

interface Shape {
  readonly fields: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly form: string;
  /** The advice in the error if a string was passed instead, such as the name of a model. */
  readonly forText: string;
}

/** Returns a check that passes an object of any class whose fields pass their checks. */
function shape(kind: string, { fields, form, forText }: Shape): ArgumentCheck {
  return (value, place) => {
    const wrong = isObject(value)
      ? Object.entries(fields).find(([key, accepts]) => !accepts(value[key]))?.[0]
      : undefined;
    if (isObject(value) && wrong === undefined) return;
    const remedy = typeof value === "string" ? forText : `Pass ${form}.`;
    const expected = wrong === undefined ? kind : `${kind} with a valid \`${wrong}\``;
    throw argumentError(place.of, { ...place, expected, got: value, remedy });
  };
}
