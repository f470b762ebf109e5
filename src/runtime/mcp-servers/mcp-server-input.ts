// Checks the options of an MCP server, and returns the place to store: its URL with headers, or its command with variables.
// Invariant: pure; an error names the field and never a value of a header or a variable.
import { codePointLength, describeText } from "../../base/code-points.ts";
import { settings } from "../../config/settings.ts";
import { zod } from "../../config/zod.ts";
import type { McpServerPlace } from "../../store/port/mcp-server-store.ts";
import type { McpServerOptions } from "./contract.ts";
import { inputChecks } from "../operations/input-checks.ts";

const check = inputChecks("An MCP server");
const maxPlace = 20_000;

/** Headers of the connection itself, which a user cannot set. */
const ofConnection: readonly string[] = ["connection", "content-length", "host", "transfer-encoding", "upgrade"];

type Change = Readonly<Record<string, string | null>>;

/** Returns the checked name. Throws RequestError `input_invalid`. */
export function checkedName(name: string): string {
  if (/^[\p{L}\p{N}_-](?:[\p{L}\p{N} _-]{0,62}[\p{L}\p{N}_-])?$/u.test(name)) return name;
  throw check.invalid(
    "name",
    "1 to 64 letters, digits, spaces, _ and -",
    codePointLength(name) > 64 ? describeText(name) : "other characters",
  );
}

export const checkedId = check.id;
export const checkedJson = check.json;

/** Returns the place with a change applied; a `before` of null is a new server. Throws RequestError `input_invalid`. */
export function changedPlace(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  const place =
    given.url === undefined && given.command === undefined ? changedKept(before, given) : moved(before, given);
  const asSetting = "url" in place ? place : { ...place, args: [...place.args] };
  const { form } = settings.mcpServers;
  const [field, text] = "url" in place ? (["url", place.url] as const) : (["command", place.command] as const);
  if (!form(zod).safeParse({ server: asSetting }).success) {
    const expected = field === "url" ? "an http or https URL" : "a command that is not blank";
    throw check.invalid(field, expected, describeText(text));
  }
  const { length } = JSON.stringify(place);
  if (length > maxPlace)
    throw check.invalid(field, `at most ${maxPlace} characters with its headers or variables, as JSON`, `${length}`);
  return place;
}

function changedKept(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  if (before === null) throw check.invalid("url", "given, or `command`", "neither");
  return "url" in before ? overHttp(before, given) : asProgram(before, given);
}

function moved(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  if (given.url !== undefined && given.command !== undefined)
    throw check.invalid("url", "given without `command`", "both");
  if (given.url !== undefined) {
    const headers = before !== null && "url" in before ? before.headers : {};
    return overHttp({ url: given.url, headers }, given);
  }
  const { args, env } = before !== null && "command" in before ? before : { args: [], env: {} };
  return asProgram({ command: given.command!, args, env }, given);
}

function overHttp({ url, headers }: Extract<McpServerPlace, { url: string }>, given: McpServerOptions): McpServerPlace {
  if ((given.args ?? given.env) !== undefined)
    throw check.invalid(given.args === undefined ? "env" : "args", "absent, because the server has a URL", "a value");
  const merged = mergedWith(headers, given.headers ?? {}, (name) => name.toLowerCase());
  for (const [name, value] of Object.entries(merged)) checkHeader(name, value);
  return { url, headers: merged };
}

function asProgram(
  { command, args, env }: Extract<McpServerPlace, { command: string }>,
  given: McpServerOptions,
): McpServerPlace {
  if (given.headers !== undefined) throw check.invalid("headers", "absent, because the server is a program", "a value");
  return { command, args: given.args ?? args, env: mergedWith(env, given.env ?? {}, (name) => name) };
}

/** Returns the headers or variables with a change applied. `keyOf` returns the same text for names that count as equal. */
function mergedWith(
  before: Readonly<Record<string, string>>,
  change: Change,
  keyOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const merged = new Map(Object.entries(before).map((entry) => [keyOf(entry[0]), entry]));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) merged.delete(keyOf(name));
    else merged.set(keyOf(name), [name, value]);
  }
  return Object.fromEntries(merged.values());
}

function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/u.test(name) || ofConnection.includes(name.toLowerCase()))
    throw check.invalid("headers", `valid header names other than ${ofConnection.join(", ")}`, "a refused name");
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/u.test(value))
    throw check.invalid(`headers.${name}`, "printable Latin-1 characters and tabs", "a value with other characters");
}
