// Adds the tools about what was written: `why` explains a line, `undo` reverts an edit, `forget` removes a text everywhere.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { formatMinute } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import type { ForgetRequest } from "../../runtime/forgetting/contract.ts";
import type { Cause, MemoryConnection } from "./connection.ts";
import { agentParameter, answered, result } from "./tool-results.ts";

/** Maximum number of revisions that are searched for a line. */
const searchedRevisions = 1000;

export function addUndo(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "undo",
    {
      title: "Undo an edit",
      description:
        "Undo one edit of core memory: the last one, or the given revision of a section. The edit stays in the history, and the undo becomes a new revision.",
      inputSchema: z.object({
        section: z.string().min(1).optional(),
        revision: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe("Requires `section`. Default: the newest edit that is not undone yet."),
        agent: agentParameter(connection.agent),
      }),
      outputSchema: z.object({ undone: z.object({ section: z.string(), revision: z.number().int() }).nullable() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ section, revision, agent: named }, context) =>
      answered(connection, async (runtime) => {
        const agent = connection.agentOf(named);
        const by = connection.writerOf(context);
        const undone = await runtime.memory.undo(agent, section, given({ by, revision }));
        if (undone === null) return result("There is no edit to undo.", { undone: null });
        const { label, revision: number, before } = undone;
        return result(`Undone: revision ${number} of "${label}". Its text before was:\n${before}`, {
          undone: { section: label, revision: number },
        });
      }),
  );
}

export function addWhy(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "why",
    {
      title: "Why a line is in memory",
      description: "Find out which edit wrote a line of core memory, who made it, when, and after which message.",
      inputSchema: z.object({
        section: z.string().min(1),
        text: z.string().min(1).describe("The line, or a part of it."),
        agent: agentParameter(connection.agent),
      }),
      outputSchema: z.object({
        cause: z
          .object({
            revision: z.number().int(),
            at: z.string(),
            origin: z.string(),
            client: z.string().nullable(),
            trust: z.string(),
            tool: z.string().nullable(),
            message: z.object({ id: z.string(), text: z.string() }).nullable(),
          })
          .nullable(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ section, text, agent: named }) =>
      answered(connection, async (runtime) => {
        const agent = connection.agentOf(named);
        const revisions = await runtime.memory.revisions(agent, { label: section, limit: searchedRevisions });
        const made = revisions.find(({ before, after }) => after.includes(text) && !before.includes(text));
        const unknown = `No stored edit of "${section}" wrote that text: it is part of the initial text, or the section does not contain it.`;
        if (made === undefined) return result(unknown, { cause: null });
        const cause = await runtime.memory.cause(agent, section, made.revision);
        return result(causeText(connection, cause), { cause: causeShape(connection, cause) });
      }),
  );
}

function causeShape({ timeZone }: MemoryConnection, { revision, input }: Cause) {
  const { revision: number, at, origin, client, trust, toolName } = revision;
  return {
    revision: number,
    at: formatMinute(at, timeZone),
    origin,
    client,
    trust,
    tool: toolName,
    message: input === null ? null : { id: input.id, text: input.text },
  };
}

function causeText({ timeZone }: MemoryConnection, { revision, input }: Cause): string {
  const said = input === null ? "" : ` after the message ${JSON.stringify(input.text)}`;
  return `Revision ${revision.revision}, ${formatMinute(revision.at, timeZone)}: written by ${authorOf(revision)}${said}. Trust: ${revision.trust}.`;
}

function authorOf({ client, origin, toolName }: Cause["revision"]): string {
  if (client !== null) return `the program ${client}`;
  if (origin === "model") return `the agent${toolName === null ? "" : ` with ${toolName}`}`;
  return origin === "import" ? "an import" : "the user";
}

export function addForget(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "forget",
    {
      title: "Forget",
      description:
        "Remove a text, a message or a passage from every place that holds it, for good. The first call shows the places; call again with confirm, after the user agreed.",
      inputSchema: z.object({
        text: z.string().min(1).optional(),
        message: z.string().min(1).optional().describe("The id of a message, as recall returns it."),
        passage: z.string().min(1).optional().describe("The id of a passage, as recall returns it."),
        confirm: z.boolean().optional().describe("Whether to remove it now. It cannot be undone."),
      }),
      outputSchema: z.object({ isForgotten: z.boolean(), places: z.array(z.string()) }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ text, message, passage, confirm = false }) =>
      answered(connection, async (runtime) => {
        const { forget } = runtime;
        const request: ForgetRequest = {
          ...(text === undefined ? {} : { texts: [text] }),
          ...(message === undefined ? {} : { messages: [message] }),
          ...(passage === undefined ? {} : { passages: [passage] }),
        };
        const found = confirm ? await forget.apply(request, { origin: "api" }) : await forget.preview(request);
        const places = found.places.map(({ kind, excerpt }) => `${kind}: ${JSON.stringify(excerpt)}`);
        if (places.length === 0)
          return result("No place holds it. Nothing was changed.", { isForgotten: false, places });
        const head = confirm ? "Forgotten. It was removed from:" : "It is in these places. Nothing was changed yet:";
        return result([head, ...places, ...found.outOfReach].join("\n"), { isForgotten: confirm, places });
      }),
  );
}
