// Generated requests to routes of the server: valid ones, nearly valid ones, and anything at all.
import fc from "fast-check";
import * as z from "zod";
import type { Door } from "../../src/surfaces/http/door.ts";
import type { Route } from "../../src/surfaces/http/route.ts";

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly format?: string;
}

const oddTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "👩‍👩‍👧‍👦",
  "../../etc/passwd",
  "%00",
  "'; drop table agents; --",
  "</human>",
  "__proto__",
  "constructor",
  "NaN",
  "-1",
  "1e400",
  "9007199254740993",
  "2026-02-30",
  "9999-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "* * * * *",
  "00000000-0000-0000-0000-000000000000",
  "a".repeat(70_000),
];

const oddText = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: "binary", maxLength: 40 }));
const oddNumber = fc.constantFrom(-1, 0, 0.5, 1, 2 ** 31, 2 ** 53, 1e308, -1e308);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  oddNumber,
  fc.constantFrom(null, true, [], {}, [null], { a: { b: [] } }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant(JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`) as unknown),
);

/** Returns values for a schema, of which some do not fit it. `known`: texts that name something. */
function valueFor(schema: JsonSchema, known: fc.Arbitrary<string>, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fittingValue(schema, known, depth);
  return fc.oneof({ weight: 40, arbitrary: fitting }, { weight: 1, arbitrary: oddValue });
}

function fittingValue(schema: JsonSchema, known: fc.Arbitrary<string>, depth: number): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && choices.length > 0)
    return fc.oneof(...choices.map((one) => valueFor(one, known, depth)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.type === "object") return objectFor(schema, known, depth);
  if (schema.type === "array") {
    return depth > 4 ? fc.constant([]) : fc.array(valueFor(schema.items ?? {}, known, depth + 1), { maxLength: 3 });
  }
  return scalars(known)[schema.type ?? ""] ?? oddValue;
}

function scalars(known: fc.Arbitrary<string>): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const number = fc.oneof(fc.integer({ min: 0, max: 100 }), oddNumber);
  return {
    string: fc.oneof({ weight: 4, arbitrary: known }, fc.constantFrom("a", "main", "Hello there."), oddText),
    integer: number,
    number,
    boolean: fc.boolean(),
    null: fc.constant(null),
  };
}

function objectFor(schema: JsonSchema, known: fc.Arbitrary<string>, depth: number): fc.Arbitrary<unknown> {
  if (depth > 4 || schema.properties === undefined) return fc.dictionary(oddText, oddValue, { maxKeys: 2 });
  const fields = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, valueFor(property, known, depth + 1)]),
  );
  // Sometimes without a required field.
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(fields, { requiredKeys: [...(schema.required ?? [])] }) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  );
}

const rawBodies = [
  "",
  "{",
  "null",
  "[]",
  '"',
  "\u0000",
  '{"a":1}{"a":1}',
  '{"__proto__":{"isAdmin":true}}',
  "\ufeff{}",
];

/** Ids that exist, by the names of the parameters of paths. */
export type KnownIds = Readonly<Record<string, string>>;

/** Letta's ids have a prefix. */
function idIn(door: Door, parameter: string, known: KnownIds): string {
  const id = known[parameter] ?? "unknown";
  const prefix = { conversation: "conv", step: "message", folder: "source" }[parameter] ?? parameter;
  return door.path === "/v1" && /^[0-9a-f-]{36}$/u.test(id) ? `${prefix}-${id}` : id;
}

export function requestsTo(door: Door, route: Route, known: KnownIds): fc.Arbitrary<GeneratedRequest> {
  const names = fc.constantFrom(...Object.keys(known).map((parameter) => idIn(door, parameter, known)));
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const parameters = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  const ids = fc.tuple(
    ...parameters.map((name) =>
      fc.oneof(
        { weight: 20, arbitrary: fc.constant(idIn(door, name, known)) },
        { weight: 2, arbitrary: names },
        oddText,
      ),
    ),
  );
  const query = valueFor(schemaOf(route.query), names);
  const body = route.body === null ? fc.constant(undefined) : bodyFor(route, schemaOf(route.body), names);
  return fc.record({ ids, query, body }).map(({ ids: given, query: asked, body: content }) => {
    const path = route.path.replace(/:(\w+)/gu, (_, name: string) => encoded(given[parameters.indexOf(name)] ?? ""));
    const request = { method: route.method.toUpperCase(), path: `${door.path}${path}${searchOf(asked)}`, headers: {} };
    return content === undefined ? request : { ...request, body: content };
  });
}

function bodyFor(route: Route, schema: JsonSchema, known: fc.Arbitrary<string>): fc.Arbitrary<string | FormData> {
  const raw = fc.constantFrom(...rawBodies);
  if (route.isForm !== true) {
    const json = valueFor(schema, known).map((value) => JSON.stringify(value) ?? "");
    return fc.oneof({ weight: 10, arbitrary: json }, { weight: 1, arbitrary: raw });
  }
  const files = fc.record({ name: oddText, text: oddText, field: fc.constantFrom("file", "File", "") });
  return fc.oneof(
    raw,
    files.map(({ name, text, field }) => {
      const form = new FormData();
      form.append(field, new File([text], name));
      return form;
    }),
  );
}

/** A lone half of a surrogate pair has no form in an address. */
function encoded(text: string): string {
  return text.isWellFormed() && text !== "" ? encodeURIComponent(text.slice(0, 2_000)) : "%ED%A0%80";
}

function searchOf(query: unknown): string {
  if (typeof query !== "object" || query === null) return "";
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      search.append(name, (typeof each === "string" ? each : JSON.stringify(each)).slice(0, 2_000));
    }
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}
