// Adds the tools that write: they save a fact, or edit a module of core memory, which clients see as a section.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { codePointLength } from "../../base/code-points.ts";
import { ModuleLimitError, ModuleNotFoundError, ModuleReadOnlyError } from "../../base/errors.ts";
import type { EditedModule, ModuleEdit } from "../../runtime/memory/contract.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { MemoryConnection } from "./connection.ts";
import { agentParameter, answered, result } from "./tool-results.ts";

/** Maximum length, in code points, of a fact that a call without `where` saves in core memory; a longer one is archived. */
const maxCoreFact = 200;

const editShape = z.object({
  section: z.string(),
  /** The new revision; null if the text did not change. */
  revision: z.number().int().nullable(),
  text: z.string(),
});

export function addRemember(server: McpServer, connection: MemoryConnection): void {
  server.registerTool(
    "remember",
    {
      title: "Remember",
      description:
        "Save one fact for later conversations. Without `where`, a short fact goes to core memory, which is always in the agent's prompt, and a long one to the archive, which is searched.",
      inputSchema: z.object({
        text: z
          .string()
          .trim()
          .min(1)
          .describe("The fact, complete in itself: names and dates instead of `he` and `yesterday`."),
        where: z.enum(["core", "archive"]).optional(),
        tags: z.array(z.string().min(1)).max(100).optional().describe("For the archive only."),
        agent: agentParameter(connection.agent),
      }),
      outputSchema: z.object({
        where: z.enum(["core", "archive"]),
        isNew: z.boolean(),
        section: z.string().optional(),
        revision: z.number().int().optional(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ text, where, tags, agent: named }, context) =>
      answered(connection, async (runtime) => {
        const agent = connection.agentOf(named);
        const by = connection.writerOf(context);
        const isShort = codePointLength(text) <= maxCoreFact && !/[\r\n]/u.test(text.trim()) && tags === undefined;
        if (where === "core" || (where === undefined && isShort)) {
          try {
            const edited = await runtime.memory.remember(agent, text, { by });
            if (edited === null) return result("It was saved before.", { where: "core", isNew: false });
            const { label: section, revision } = edited;
            const saved = { where: "core", isNew: true, section, revision };
            return result(`Saved in core memory, section ${section}.`, saved);
          } catch (error) {
            if (where === "core" || !isRefusedByCore(error)) throw error;
          }
        }
        const { isNew } = await runtime.archival.add(agent, text, { by, ...(tags === undefined ? {} : { tags }) });
        return result(isNew ? "Saved in the archive." : "It was saved before.", { where: "archive", isNew });
      }),
  );
}

/** Returns whether core memory refused a fact: it has no module for facts, or the module is full or read-only. */
function isRefusedByCore(error: unknown): boolean {
  return (
    error instanceof ModuleLimitError || error instanceof ModuleNotFoundError || error instanceof ModuleReadOnlyError
  );
}

export function addEdits(server: McpServer, connection: MemoryConnection): void {
  const section = z.string().min(1).describe("The section of core memory, such as human.");
  const agent = agentParameter(connection.agent);
  const annotations = { readOnlyHint: false, idempotentHint: false, openWorldHint: false };
  server.registerTool(
    "core_memory_append",
    {
      title: "Append to core memory",
      description: "Add a line at the end of a section of core memory.",
      inputSchema: z.object({ section, content: z.string().min(1).describe("The text of the new line."), agent }),
      outputSchema: editShape,
      annotations: { ...annotations, destructiveHint: false },
    },
    (call, context) => edit(connection, { ...call, change: { append: call.content }, context }),
  );
  server.registerTool(
    "core_memory_replace",
    {
      title: "Replace in core memory",
      description: "Replace text in a section of core memory, at every place where it occurs.",
      inputSchema: z.object({
        section,
        old_content: z.string().min(1).describe("The text to replace, exactly as it is in the section."),
        new_content: z.string().describe("The text to write instead; an empty one removes the old text."),
        agent,
      }),
      outputSchema: editShape,
      annotations: { ...annotations, destructiveHint: true },
    },
    (call, context) =>
      edit(connection, { ...call, change: { replace: call.old_content, with: call.new_content }, context }),
  );
  server.registerTool(
    "core_memory_rewrite",
    {
      title: "Rewrite a section of core memory",
      description: "Write a whole section of core memory anew. What you leave out is removed.",
      inputSchema: z.object({ section, content: z.string().describe("The complete new text of the section."), agent }),
      outputSchema: editShape,
      annotations: { ...annotations, destructiveHint: true },
    },
    (call, context) => edit(connection, { ...call, change: { rewrite: call.content }, context }),
  );
}

interface EditCall {
  readonly section: string;
  readonly agent?: string | undefined;
  readonly change: ModuleEdit;
  readonly context: Parameters<MemoryConnection["writerOf"]>[0];
}

function edit(connection: MemoryConnection, { section, agent: named, change, context }: EditCall) {
  return answered(connection, async (runtime) => {
    const agent = connection.agentOf(named);
    const edited = await runtime.memory.edit(agent, section, change, { by: connection.writerOf(context) });
    const text = edited?.after ?? (await textOf(runtime, agent, section));
    return result(editText(section, edited, text), { section, revision: edited?.revision ?? null, text });
  });
}

async function textOf(runtime: UserRuntime, agent: string, section: string): Promise<string> {
  return (await runtime.memory.show(agent)).find(({ label }) => label === section)?.value ?? "";
}

function editText(section: string, edited: EditedModule | null, text: string): string {
  const state = text === "" ? `"${section}" is empty now.` : `"${section}" is now:\n${text}`;
  if (edited === null) return `Nothing changed. ${state}`;
  return `${state}\n(${codePointLength(text)} of ${edited.limit} characters, revision ${edited.revision})`;
}
