// Opens and closes files in an agent's window outside of a turn.
// Invariant: the rules are those of the tool `open_files`.
import { RequestError, ToolError } from "../../base/errors.ts";
import { createOpenFiles, openOf, textsOf } from "../../memory/attached/open-files.ts";
import type { SourceOperations } from "./contract.ts";
import { findAgent } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type FileOperations = Pick<SourceOperations, "attachedFiles" | "openFile" | "openFiles" | "closeFiles">;

const check = inputChecks("A file");
const maxLine = 1_000_000_000;

export function createFileOperations(deps: Pick<OperationDeps, "store" | "clock" | "files">): FileOperations {
  const store = deps.store.attachedFiles;
  const openIds = async (agentId: string) => openOf(await store.list(agentId)).map(({ id }) => id);
  return {
    attachedFiles: async (agent) => store.list((await findAgent(deps, agent)).id),
    openFiles: async (agent) => {
      const { id: agentId } = await findAgent(deps, agent);
      return textsOf({ agentId, store }, openOf(await store.list(agentId)));
    },
    openFile: async (agent, fileId, lines = {}) => {
      const { from = 1, to } = lines;
      requireLines(from, to);
      const { id: agentId } = await findAgent(deps, agent);
      if ((await store.list(agentId)).every(({ id }) => id !== fileId))
        throw new RequestError(
          "source_not_found",
          `No source of the agent has a file "${fileId}". Nothing was opened: take the id from the list of the agent's files.`,
        );
      const before = await openIds(agentId);
      const files = createOpenFiles({ agentId, store, clock: deps.clock, matchLines: deps.files.matchLines });
      await files
        .open([{ name: fileId, from, ...(to === undefined ? {} : { lines: to - from + 1 }) }])
        .catch(asRequest);
      const after = await openIds(agentId);
      return before.filter((id) => !after.includes(id));
    },
    closeFiles: async (agent, fileId) => {
      const { id: agentId } = await findAgent(deps, agent);
      const before = await openIds(agentId);
      const isClosed = (id: string): boolean => fileId === undefined || id === fileId;
      await store.changeOpen(agentId, (open) => open.filter((file) => !isClosed(file.fileId)));
      return before.filter(isClosed);
    },
  };
}

function requireLines(from: number, to: number | undefined): void {
  if (!isLine(from)) throw check.invalid("from", "a whole number from 1", `${from}`);
  if (to !== undefined && (!isLine(to) || to < from))
    throw check.invalid("to", "a whole number of at least `from`", `${to}`);
}

function isLine(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= maxLine;
}

function asRequest(error: unknown): never {
  if (error instanceof ToolError) throw new RequestError("input_invalid", error.message, { cause: error });
  throw error;
}
