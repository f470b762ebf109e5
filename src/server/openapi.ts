// The OpenAPI 3.1 document of a door, from its routes.
// Invariant: it contains every route of the door, and nothing that is not in its table.
import * as z from "zod";
import type { Door } from "./door.ts";
import type { Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

export function openApiOf(door: Door, version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of door.routes) {
    const path = `${door.path}${route.path}`.replace(/:(\w+)/gu, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Palimpsest", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Problem: problemSchema },
    },
    paths,
  };
}

/** The body of an error, after RFC 9457. */
const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "requestId"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    requestId: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

function operationOf({ method, path, summary, scope, params, query, body, isForm, output, status }: Route): Json {
  const successStatus = String(status ?? (output === null ? 204 : 200));
  return {
    operationId: operationId(method, path),
    summary,
    description: `Needs a key of scope \`${scope}\`.`,
    parameters: [...parametersOf(params, "path"), ...parametersOf(query, "query")],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: bodyContent(schemaOf(body, "input"), isForm) } }),
    responses: { [successStatus]: successOf(output), default: problemResponse },
  };
}

const problemResponse = {
  description: "The request failed.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

function successOf(output: Route["output"]): Json {
  if (output === null) return { description: "Done." };
  if (output === "events") {
    return { description: "Server-sent events.", content: { "text/event-stream": { schema: { type: "string" } } } };
  }
  return { description: "The result.", content: jsonContent(schemaOf(output, "output")) };
}

function bodyContent(schema: Json, isForm = false): Json {
  return isForm ? { "multipart/form-data": { schema } } : jsonContent(schema);
}

function jsonContent(schema: Json): Json {
  return { "application/json": { schema } };
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

/** `GET /agents/:agent/modules` becomes `getAgentsAgentModules`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^\w]+/u).filter((word) => word !== "");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
