// Requests to every route of a door, from its table: valid ones with ids of the caller's own agent, and the same with ids of another
// one in each place that can have an id: path, query and body.
// Invariant: a route that is added is asked without a change here; if its valid body cannot be made from its schema, a test fails.
import * as z from "zod";
import type { Door } from "../../src/surfaces/http/door.ts";
import type { Route } from "../../src/surfaces/http/route.ts";

/** Ids by what they are of. A name instead of an id ends in `Name`. */
export type IdsByKind = Readonly<Record<string, string>>;

export interface RouteRequest {
  /** Where the other ids are; empty for a request with the own ones alone. */
  readonly place: string;
  readonly path: string;
  readonly body: unknown;
  readonly isForm: boolean;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly format?: string;
  readonly pattern?: string;
}

/** The kinds of ids that a parameter or a field of this name can have, most likely first. */
const kindsByWord: readonly (readonly [RegExp, readonly string[]])[] = [
  [/agent|^model$/iu, ["agent", "agentName"]],
  [/conversation|^chat|^id$/iu, ["conversation"]],
  [/module|block/iu, ["module"]],
  [/tool_name/iu, ["toolName"]],
  [/tool/iu, ["tool", "toolName"]],
  [/source|folder/iu, ["source", "sourceName"]],
  [/archive/iu, ["source", "agent"]],
  [/file/iu, ["file"]],
  [/passage/iu, ["passage", "sourcePassage"]],
  [/attachment/iu, ["attachment"]],
  [/message|before|after|from|leaf/iu, ["message"]],
  [/turn|run/iu, ["turn"]],
  [/response/iu, ["response"]],
  [/step/iu, ["step"]],
  [/schedule/iu, ["schedule"]],
  [/consolidation/iu, ["consolidation"]],
  [/identit|identifier/iu, ["identity"]],
  [/group/iu, ["group"]],
  [/server/iu, ["server"]],
  [/key/iu, ["key"]],
];

export const kindsOf = (name: string): readonly string[] => kindsByWord.find(([word]) => word.test(name))?.[1] ?? [];

/** The texts of parameters and fields that are no ids. */
const texts: Readonly<Record<string, string>> = {
  label: "human",
  revision: "1",
  ordinal: "1",
  user: "cleo",
  call: "call-1",
};

interface Asking {
  readonly door: Door;
  readonly route: Route;
  readonly own: IdsByKind;
  readonly other: IdsByKind;
  /** Every id in every place, instead of those that its name suggests. */
  readonly isFull: boolean;
  /** Fields that a valid body has besides those that its schema requires. */
  readonly sample?: object | undefined;
}

/** Returns a valid request with own ids first, then those with ids of the other agent. */
export function requestsTo(asking: Asking): readonly RouteRequest[] {
  const { route, own, sample } = asking;
  const names = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  const paramsOf = (ids: IdsByKind) =>
    Object.fromEntries(names.map((name) => [name, valueIn(asking, name, ids[kindsOf(name)[0] ?? ""] ?? texts[name])]));
  const body = route.body === null ? undefined : withSample(fill(asking, schemaOf(route.body), ""), sample);
  const query = fill(asking, schemaOf(route.query), "");
  const request = (place: string, change: { params?: object; query?: unknown; body?: unknown } = {}): RouteRequest => ({
    place,
    path: pathOf(asking, { ...paramsOf(own), ...change.params }, change.query ?? query),
    body: change.body ?? body,
    isForm: route.isForm === true,
  });
  return [
    request(""),
    ...names.flatMap((name) =>
      idsFor(asking, name).map((id) => request(`path.${name}`, { params: { [name]: valueIn(asking, name, id) } })),
    ),
    request("path", { params: paramsOf(asking.other) }),
    ...fieldsOf(asking, schemaOf(route.query), query).map(({ place, value }) =>
      request(`query.${place}`, { query: value }),
    ),
    ...(route.body === null
      ? []
      : fieldsOf(asking, schemaOf(route.body), body).map(({ place, value }) =>
          request(`body.${place}`, { body: value }),
        )),
  ];
}

function schemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
}

function idsFor({ other, isFull }: Asking, name: string): readonly string[] {
  const kinds = isFull ? Object.keys(other) : kindsOf(name);
  return kinds.flatMap((kind) => other[kind] ?? []);
}

/** The id as the parameter of a path has it: with its prefix at Letta's door. */
function valueIn({ door }: Asking, name: string, id = "x"): string {
  const prefix = { conversation: "conv", folder: "source" }[name] ?? name;
  return door.path === "/v1" && /^[\da-f-]{36}$/u.test(id) ? `${prefix}-${id}` : id;
}

function pathOf({ door, route }: Asking, params: Readonly<Record<string, string>>, query: unknown): string {
  const path = route.path.replace(/:(\w+)/gu, (_match, name: string) => encodeURIComponent(params[name] ?? "x"));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  return `${door.path}${path}${search.size === 0 ? "" : `?${search.toString()}`}`;
}

function withSample(body: unknown, sample: object | undefined): unknown {
  return sample === undefined ? body : { ...(body as object), ...sample };
}

/** Returns the least valid value, with own ids. */
function fill(asking: Asking, schema: Schema, name: string): unknown {
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const choice = choices.find(({ type }) => type !== "null") ?? choices[0];
  if (choice !== undefined) return fill(asking, choice, name);
  const [constant] = schema.enum ?? [schema.const];
  if (constant !== undefined) return constant;
  if (schema.type === "object") {
    const required = (schema.required ?? []).map((field) => [
      field,
      fill(asking, schema.properties?.[field] ?? {}, field),
    ]);
    return Object.fromEntries(required);
  }
  if (schema.type === "array")
    return Array.from({ length: schema.minItems ?? 0 }, () => fill(asking, schema.items ?? {}, name));
  return fillScalar(asking, schema, name);
}

function fillScalar(asking: Asking, schema: Schema, name: string): unknown {
  if (schema.type === "string") return fillText(asking, schema, name);
  return { integer: Math.max(schema.minimum ?? 1, 1), number: 1, boolean: false }[schema.type ?? ""] ?? {};
}

function fillText({ own }: Asking, { format, pattern }: Schema, name: string): string {
  if (format === "date-time") return "2026-01-02T03:04:05Z";
  if (format === "date") return "2026-01-02";
  if (format === "binary") return "file";
  const id = own[kindsOf(name)[0] ?? ""];
  return id === undefined ? "hello" : withPrefix(pattern, id);
}

/** An id with the prefix that a pattern asks for. */
function withPrefix(pattern: string | undefined, id: string): string {
  const prefix = /^\^([a-z_]+)-/u.exec(pattern ?? "")?.[1];
  return prefix === undefined ? id : `${prefix}-${id}`;
}

interface Field {
  readonly place: string;
  /** The whole value, with another id in this field. */
  readonly value: unknown;
}

/** Returns the value with each field that can have an id set to one of the other agent. */
function fieldsOf(asking: Asking, schema: Schema, value: unknown): readonly Field[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => fieldsOf(asking, choice, value));
  if (schema.type === "array" && schema.items?.properties !== undefined) {
    const item = (value as readonly unknown[] | undefined)?.[0] ?? fill(asking, schema.items, "");
    return fieldsOf(asking, schema.items, item).map((field) => ({ place: `0.${field.place}`, value: [field.value] }));
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...idsFor(asking, name).flatMap((id) =>
      shapesOf(property, id).map((set) => ({ place: name, value: { ...(value as object), [name]: set } })),
    ),
    ...fieldsOf(
      asking,
      property,
      (value as Readonly<Record<string, unknown>>)[name] ?? fill(asking, property, name),
    ).map((field) => ({ place: `${name}.${field.place}`, value: { ...(value as object), [name]: field.value } })),
  ]);
}

/** Returns an id as a text and as a list, where a field takes them. */
function shapesOf(schema: Schema, id: string): readonly unknown[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => shapesOf(choice, id));
  if (schema.type === "string" && schema.enum === undefined) return [withPrefix(schema.pattern, id)];
  if (schema.type === "array") return shapesOf(schema.items ?? {}, id).map((one) => [one]);
  return [];
}
