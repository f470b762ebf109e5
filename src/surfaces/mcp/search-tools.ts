// Adds the tools that read: they search messages and passages, and list agents.
// Invariant: a result quotes stored text with its time and its author; it never presents that text as an instruction.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { acceptedYears, formatMinute, isAcceptedTime } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import { inTurn } from "../../base/lists.ts";
import { excerptPieces, findMatches } from "../../base/search-view/search-pieces.ts";
import { explanationParts } from "../../base/search-view/search-explanation.ts";
import { secretsLast } from "../../base/search-view/stated-secrets.ts";
import { type FoundText, isServed, type MemoryConnection } from "./connection.ts";
import { agentParameter, answered, result } from "./tool-results.ts";

/** Maximum length of a hit's text in UTF-16 units; a longer text is cut to an excerpt around the match. */
const excerptLength = 500;

const defaultHits = 10;

const hitShape = z.object({
  kind: z.enum(["message", "passage"]),
  id: z.string(),
  text: z.string(),
  at: z.string(),
  trust: z.enum(["user", "model", "external"]),
  /** The author of a message. */
  speaker: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** The passage that replaced this one. */
  replacement: z.object({ id: z.string(), text: z.string() }).optional(),
  /** The reason for the hit's rank. */
  reason: z.string().optional(),
});

type Hit = z.infer<typeof hitShape>;

const expectedDay = `Expected a day of ${acceptedYears} as YYYY-MM-DD`;
const day = z.iso
  .date({ error: expectedDay })
  .refine((text) => isAcceptedTime(new Date(text)), expectedDay)
  .optional();

export function addRecall(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "recall",
    {
      title: "Recall",
      description:
        "Search everything that was said and saved, by words and by meaning. A query in double quotes is found exactly.",
      inputSchema: z.object({
        query: z.string().min(1),
        start: day.describe("The first day, YYYY-MM-DD."),
        end: day.describe("The last day, YYYY-MM-DD."),
        limit: z.number().int().min(1).max(50).optional().describe(`The number of results. Default: ${defaultHits}.`),
        explain: z.boolean().optional().describe("Whether each result says why it was found."),
        agent: agentParameter(connection.agent),
      }),
      outputSchema: z.object({ hits: z.array(hitShape), total: z.number().int() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ query, start, end, limit = defaultHits, explain = false, agent: named }) =>
      answered(connection, async (runtime) => {
        const agent = connection.agentOf(named);
        const [messages, passages] = await Promise.all([
          runtime.recall.search(agent, query, given({ start, end, pageSize: limit })),
          runtime.archival.search(agent, query, given({ startDate: start, endDate: end, pageSize: limit })),
        ]);
        // Messages and passages alternate, the best first, because their scores have no common scale.
        const found = inTurn<Pick<FoundHit, "hit" | "kind">>([
          messages.hits.map((hit) => ({ hit, kind: "message" })),
          passages.hits.map((hit) => ({ hit, kind: "passage" })),
        ]).slice(0, limit);
        const ordered = secretsLast(found, ({ hit }) => hit.text);
        const hits = ordered.map((one) => hitOf(connection, { ...one, query, explain }));
        const text = hits.length === 0 ? "Nothing was found." : hits.map(hitText).join("\n");
        return result(text, { hits, total: messages.total + passages.total });
      }),
  );
}

export function addListAgents(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "list_agents",
    {
      title: "List agents",
      description: "List the agents whose memory can be read, with their sections of core memory.",
      inputSchema: z.object({}),
      outputSchema: z.object({
        agents: z.array(z.object({ name: z.string(), description: z.string().nullable(), isDefault: z.boolean() })),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () =>
      answered(connection, async (runtime) => {
        const listed = (await runtime.agents.list()).filter(({ name }) => isServed(connection, name));
        const agents = listed.map(({ name, description }) => ({
          name,
          description,
          isDefault: name === connection.agent,
        }));
        const lines = agents.map(({ name, description }) => (description === null ? name : `${name}: ${description}`));
        return result(lines.length === 0 ? "There is no agent." : lines.join("\n"), { agents });
      }),
  );
}

interface FoundHit {
  readonly hit: FoundText;
  readonly kind: Hit["kind"];
  readonly query: string;
  readonly explain: boolean;
}

function hitOf({ timeZone }: MemoryConnection, { hit, kind, query, explain }: FoundHit): Hit {
  const { explanation, replacement } = hit;
  const reasons = explain && explanation !== undefined ? explanationParts(explanation) : [];
  return {
    kind,
    id: hit.id,
    text: excerptOf(hit.text, query),
    at: formatMinute(hit.at, timeZone),
    trust: hit.trust,
    ...(kind === "message" ? { speaker: hit.speaker ?? hit.role ?? "user" } : {}),
    ...(hit.tags === undefined || hit.tags.length === 0 ? {} : { tags: [...hit.tags] }),
    ...(replacement === undefined
      ? {}
      : { replacement: { id: replacement.id, text: excerptOf(replacement.text, query) } }),
    ...(reasons.length === 0 ? {} : { reason: reasons.map(({ name, text }) => `${name}: ${text}`).join("; ") }),
  };
}

function excerptOf(text: string, query: string): string {
  const pieces = excerptPieces(text, findMatches(text, query), excerptLength);
  return pieces.map((piece) => piece.text).join("");
}

function hitText({ kind, text, at, speaker, tags = [], replacement, reason }: Hit, index: number): string {
  const from = kind === "message" ? `${speaker} said` : ["saved", ...tags.map((tag) => `#${tag}`)].join(" ");
  const current = replacement === undefined ? "" : `, replaced by ${JSON.stringify(replacement.text)}`;
  return `${index + 1}. ${at}, ${from}: ${JSON.stringify(text)}${current}${reason === undefined ? "" : ` (${reason})`}`;
}
