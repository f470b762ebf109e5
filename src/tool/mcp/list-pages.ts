// Lists what an MCP server has, page by page.
// Invariant: one entry that is not valid costs that entry, not the list, and a list without an end is cut.
import { type Client, type StandardSchemaV1, specTypeSchemas } from "@modelcontextprotocol/client";
import { ToolError } from "../../base/errors.ts";
import { bounds } from "./bounds.ts";

/** The lists of the protocol: the method, its field, and the type of an entry. */
const lists = {
  "tools/list": { field: "tools", type: "Tool", capability: "tools" },
  "resources/list": { field: "resources", type: "Resource", capability: "resources" },
  "prompts/list": { field: "prompts", type: "Prompt", capability: "prompts" },
} as const;

type Method = keyof typeof lists;
type EntryOf<M extends Method> = NonNullable<
  (typeof specTypeSchemas)[(typeof lists)[M]["type"]]["~standard"]["types"]
>["output"];

export interface Listed<Entry> {
  readonly entries: readonly Entry[];
  /** Why entries were left out. */
  readonly problems: readonly string[];
}

interface Page {
  readonly [field: string]: unknown;
}

/** Empty if the server does not offer such a list. Throws if the server gives none in time. */
export async function listPages<M extends Method>(client: Client, method: M): Promise<Listed<EntryOf<M>>> {
  const { field, type, capability } = lists[method];
  if (client.getServerCapabilities()?.[capability] === undefined) return { entries: [], problems: [] };
  const wait = { timeout: bounds.connectMs, signal: AbortSignal.timeout(bounds.connectMs) };
  const entries: EntryOf<M>[] = [];
  const problems: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < bounds.pages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result: Page = await client.request({ method, params }, pageSchema(field), wait);
    for (const entry of result[field] as readonly unknown[]) {
      const problem = problemOf(entry, type);
      if (problem === null) entries.push(entry as EntryOf<M>);
      else problems.push(`${nameOf(entry)} is left out: ${problem}`);
    }
    const next = result["nextCursor"];
    if (typeof next !== "string" || next === cursor) return { entries, problems };
    cursor = next;
  }
  return { entries, problems: [...problems, `its list has more than ${bounds.pages} pages, the rest is left out`] };
}

/** A schema that knows the list, but not its entries. */
function pageSchema(field: string): StandardSchemaV1<unknown, Page> {
  const validate = (value: unknown) => {
    const isPage = typeof value === "object" && value !== null && Array.isArray((value as Page)[field]);
    return isPage ? { value: value as Page } : { issues: [{ message: `${field} is not a list` }] };
  };
  return { "~standard": { version: 1, vendor: "palimpsest", validate } };
}

function problemOf(entry: unknown, type: (typeof lists)[Method]["type"]): string | null {
  const result = specTypeSchemas[type]["~standard"].validate(entry);
  if (result instanceof Promise) throw new ToolError("a schema of the protocol is not synchronous");
  const issue = result.issues?.[0];
  if (issue === undefined) return null;
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? "it is not valid" : `its ${path} is not valid`;
}

/** As the server has it, if it has one. */
function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null ? (entry as Page)["name"] : undefined;
  return typeof name === "string" ? JSON.stringify(name.slice(0, 64)) : "One without a name";
}
