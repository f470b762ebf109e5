// Compares answers of a door with its OpenAPI document.
import type { AnyValidateFunction } from "ajv/dist/core.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Door } from "../../src/surfaces/http/door.ts";
import { openApiOf } from "../../src/surfaces/http/openapi.ts";

export interface CheckedAnswer {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** Returns `fetch` for requests to a door, which fails for an answer that is not as the document says. */
export function checkedFetch(door: Door): typeof fetch {
  const check = documentCheck(door);
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const contentType = response.headers.get("content-type");
    const text = contentType?.startsWith("text/event-stream") === true ? "" : await response.clone().text();
    const { pathname, search } = new URL(request.url);
    check({ method: request.method, path: pathname + search, status: response.status, contentType, text });
    return response;
  };
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** Returns a function that throws if an answer is not as the document says. */
export function documentCheck(door: Door): (answer: CheckedAnswer) => void {
  const document = openApiOf(door, "0.0.0") as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { binary: true } });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  // More specific paths first: a fixed name before a parameter.
  const paths = Object.keys(document.paths)
    .toSorted((one, other) => parameters(one) - parameters(other))
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/gu, "[^/]+")}/?$`, "u") }));
  return (answer) => {
    const [asked = ""] = answer.path.split("?");
    const verb = answer.method.toLowerCase();
    const found = paths.find((each) => each.pattern.test(asked) && document.paths[each.path]?.[verb] !== undefined);
    if (found === undefined) return;
    const code = answer.status >= 400 ? `${String(answer.status).charAt(0)}XX` : String(answer.status);
    const content = document.paths[found.path]?.[verb]?.responses[code]?.content;
    const pointer = ["paths", found.path, verb, "responses", code, "content"];
    const fault = faultOf(answer, content, (type) =>
      ajv.getSchema(`document#/${[...pointer, type, "schema"].map(escaped).join("/")}`),
    );
    if (fault !== null) throw new Error(`${answer.method} ${found.path} ${answer.status}: ${fault}`);
  };
}

/** Returns how an answer differs from the document; null if it does not. */
function faultOf(
  { contentType, text }: CheckedAnswer,
  content: Readonly<Record<string, unknown>> | undefined,
  schemaOf: (type: string) => AnyValidateFunction | undefined,
): string | null {
  if (content === undefined) return text === "" ? null : "the document has no body";
  const type = contentType?.split(";")[0] ?? "";
  if (content[type] === undefined) return `the document does not have ${type}`;
  if (!type.endsWith("json")) return null;
  const validate = schemaOf(type);
  if (validate === undefined) return "the document has no schema";
  return validate(JSON.parse(text)) === true ? null : JSON.stringify(validate.errors);
}

function parameters(path: string): number {
  return path.split("{").length;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replace(/~/gu, "~0").replace(/\//gu, "~1"));
}
