// Faults with a body of their own on Letta's wire, and the words of those that something is missing.
// Invariant: clients tell these faults apart by their bodies, which are Letta's.
import { type ErrorCode, RequestError } from "../../../base/errors.ts";
import { Fault, type ServerCode, statusOf } from "../fault.ts";

/** A fault whose JSON body is not made from its message. */
export class WireFault extends Fault {
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: ErrorCode | ServerCode,
    body: Readonly<Record<string, unknown>>,
    more: { readonly message?: string; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    const { message = String(body["detail"]), ...others } = more;
    super(status, code, message, others);
    this.body = body;
  }
}

/** Returns a fault of an argument that has the right form and cannot be used. */
export function invalidArgument(field: string, message: string): Fault {
  return new Fault(400, "input_invalid", `INVALID_ARGUMENT: ${message}`, { fields: [{ field, message }] });
}

type IdsOfPath = Readonly<Record<string, string | undefined>>;

/** What Letta says about a missing object, from the ids in the path of the request. */
const missing: Readonly<Partial<Record<ErrorCode, (ids: IdsOfPath) => string | null>>> = {
  agent_not_found: ({ agent }) => named(agent, (id) => `Agent with ID agent-${id} not found`),
  module_unknown: ({ block }) => named(block, (id) => `Block with id 'block-${id}' not found`),
  tool_not_found: ({ tool }) => named(tool, (id) => `Tool not found with id='tool-${id}'`),
  passage_not_found: ({ passage }) => named(passage, (id) => `Passage with id passage-${id} not found`),
  conversation_not_found: ({ conversation }) =>
    named(conversation, (id) => `Conversation not found with id='conv-${id}'`),
  turn_not_found: ({ run }) => named(run, (id) => `Run not found with id='run-${id}'`),
  identity_not_found: ({ identity }) => named(identity, (id) => `Identity with ID identity-${id} not found`),
  mcp_server_not_found: ({ mcp_server: server }) =>
    named(server, (id) => `MCP server with id 'mcp_server-${id}' not found`),
  step_not_found: ({ step }) => named(step, (id) => `Step not found with id='step-${id}'`),
  source_not_found: ({ folder, archive }) =>
    named(folder, (id) => `Source not found with id='source-${id}'`) ??
    named(archive, (id) => `Archive not found with id='archive-${id}'`),
};

function named(id: string | undefined, text: (id: string) => string): string | null {
  return id === undefined ? null : text(id);
}

/** Returns an error in Letta's words if it is about an object in the path of the request, and otherwise the error itself. */
export function inWordsOfPath(error: unknown, params: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const detail = missing[error.code]?.(params as IdsOfPath) ?? null;
  return detail === null ? error : new WireFault(statusOf(error.code), error.code, { detail }, { cause: error });
}
