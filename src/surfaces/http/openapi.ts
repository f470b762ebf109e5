// Builds the OpenAPI 3.1 document of one API of the server (a door) from its routes.
// Invariant: the document contains every route of the door, and nothing else.
import * as z from "zod";
import type { Door } from "./door.ts";
import type { Route } from "./route.ts";
import { downloadFormats } from "./sent-bytes.ts";

type Json = Readonly<Record<string, unknown>>;

export function openApiOf(door: Door, version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of door.routes) {
    const path = `${door.path}${route.path}`.replace(/:(\w+)/gu, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(route, door) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Palimpsest", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Failure: schemaOf(door.faults.schema, "output") },
    },
    paths,
  };
}

function operationOf(route: Route, { faults }: Door): Json {
  const { method, path, summary, scope, params, query, body, isForm, status } = route;
  const sentType = isForm === true ? "multipart/form-data" : "application/json";
  const successStatus = String(status ?? (route.output === null ? 204 : 200));
  return {
    operationId: operationId(method, path),
    summary,
    description: `Needs a key of scope \`${scope}\`.`,
    parameters: [...parametersOf(params, "path"), ...parametersOf(query, "query")],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { [sentType]: { schema: schemaOf(body, "input") } } } }),
    responses: {
      [successStatus]: successOf(route),
      ...(route.mayBeEmpty === true ? { 204: { description: "There is none." } } : {}),
      "4XX": failure("The request cannot be carried out.", faults),
      "5XX": failure("The server failed.", faults),
    },
  };
}

function failure(description: string, { type }: Door["faults"]): Json {
  return { description, content: { [type]: { schema: { $ref: "#/components/schemas/Failure" } } } };
}

function successOf({ output, mayStream }: Route): Json {
  if (output === null) return { description: "Done." };
  const stream = { "text/event-stream": { schema: { type: "string" } } };
  if (output === "bytes") {
    const file = { schema: { type: "string", format: "binary" } };
    return { description: "The file.", content: Object.fromEntries(downloadFormats.map((type) => [type, file])) };
  }
  if (output === "events") return { description: "Server-sent events.", content: stream };
  const json = { "application/json": { schema: schemaOf(output, "output") } };
  return { description: "The result.", content: mayStream === true ? { ...json, ...stream } : json };
}

function parametersOf(schema: z.ZodType, place: "path" | "query"): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    return { name, in: place, required: place === "path" || required.includes(name), schema: property };
  });
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
  });
  return json;
}

/** Returns the operation id of a route: `GET /agents/:agent/modules` becomes `getAgentsAgentModules`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^\w]+/u).filter((word) => word !== "");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
