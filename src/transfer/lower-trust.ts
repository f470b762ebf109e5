// Removes from a transfer what cannot be verified (the trust of texts, and decisions about tool calls), or all
// conversations with the references to their messages.
// Invariant: pure; afterwards every text is external, no call runs without the user's approval, and a tool with source
// code waits for approval; no reference leads to a missing message.
import type { ToolResultPart } from "../base/message/message.ts";
import type {
  Transfer,
  TransferredAgent,
  TransferredCall,
  TransferredConversation,
  TransferredMessage,
  TransferredModule,
} from "../store/port/transfer-store.ts";

type NewId = (after: string) => string;

const lowest = { trust: "external" } as const;
const lowestLines = { ...lowest, lineTrust: null } as const;

/**
 * Returns the transfer with the lowest trust and without open calls. A new message with results follows each message
 * with open calls; `newId` returns the id of the new message, from that of the message before it.
 */
export function lowerTrust(transfer: Transfer, newId: NewId): Transfer {
  const { modules, tools, sources, agents } = transfer;
  const foreignCode = new Set(tools.filter(({ source }) => source !== null).map(({ id }) => id));
  return {
    ...transfer,
    modules: modules.map(loweredModule),
    sources: sources.map((source) => ({
      ...source,
      passages: source.passages.map((passage) => ({ ...passage, ...lowest })),
    })),
    agents: agents.map((agent): TransferredAgent => {
      const attached = agent.tools.map(({ id, requiresApproval }) => ({
        id,
        requiresApproval: foreignCode.has(id) ? true : requiresApproval,
      }));
      return {
        ...agent,
        tools: attached,
        conversations: agent.conversations.map((conversation) => lowered(conversation, newId)),
        passages: agent.passages.map((passage) => ({ ...passage, ...lowest })),
      };
    }),
  };
}

function loweredModule(module: TransferredModule): TransferredModule {
  const revisions = module.revisions.map((revision) => {
    // An undo of revision 1 restores the text before it with the trust class that follows from the revision's origin.
    const isFirst = revision.revision === 1 && revision.before !== "";
    return { ...revision, ...lowestLines, ...(isFirst ? { origin: "import" as const } : {}) };
  });
  return withImport({ ...module, ...lowestLines, revisions });
}

/**
 * Adds a revision to a module whose text is external and was not written by a revision. It records the import and
 * changes nothing. Without it, an undo of the first change after the import would restore lines with the class `user`.
 */
export function withImport(module: TransferredModule): TransferredModule {
  const { value, trust, lineTrust, revision, updatedAt: at } = module;
  if (revision > 0 || value === "" || trust !== "external") return module;
  const imported = { ...importing, revision: 1, before: value, after: value, trust, lineTrust, at };
  return { ...module, revision: 1, revisions: [imported] };
}

const importing = {
  origin: "import",
  client: null,
  isByOwner: true,
  agentId: null,
  toolName: null,
  callId: null,
  messageId: null,
  conversationId: null,
  undoes: null,
  external: [],
} as const;

function lowered(conversation: TransferredConversation, newId: NewId): TransferredConversation {
  const messages = conversation.messages.map((message) => ({
    ...message,
    ...lowest,
    calls: message.calls.map(settled),
  }));
  const closed = closeEnds(messages, newId);
  const { leafId } = conversation;
  return {
    ...conversation,
    leafId: leafId === null ? null : (closed.ends.get(leafId) ?? leafId),
    messages: [...messages, ...closed.results],
    compactions: conversation.compactions.map((compaction) => ({ ...compaction, ...lowest })),
  };
}

/** Returns the call; an unfinished call becomes `interrupted`, because its approval, if any, was given elsewhere. */
function settled(call: TransferredCall): TransferredCall {
  const isOpen = call.status !== "ok" && call.status !== "failed" && call.status !== "interrupted";
  return isOpen ? { ...call, status: "interrupted", request: null } : call;
}

const notRun = "This call was not run: the conversation was moved while it waited.";

/** Returns results for the open calls at the end of each branch, so that opening the conversation does not run them. */
function closeEnds(messages: readonly TransferredMessage[], newId: NewId) {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const parents = new Set(messages.map(({ parentId }) => parentId));
  const results: TransferredMessage[] = [];
  /** Maps the id of the last message of a branch to the id of the new message after it. */
  const ends = new Map<string, string>();
  for (const end of messages.filter(({ id }) => !parents.has(id))) {
    const open = openCalls(end, byId);
    if (open.length === 0) continue;
    const id = newId(end.id);
    ends.set(end.id, id);
    results.push({ ...end, id, parentId: end.id, role: "tool", content: open, text: notRun, speaker: null, calls: [] });
  }
  return { results, ends };
}

function openCalls(end: TransferredMessage, byId: ReadonlyMap<string, TransferredMessage>): readonly ToolResultPart[] {
  const answered = new Set<string>();
  let message: TransferredMessage | undefined = end;
  while (message?.role === "tool") {
    for (const part of message.content) if (part.type === "tool-result") answered.add(part.callId);
    message = message.parentId === null ? undefined : byId.get(message.parentId);
  }
  if (message === undefined || message.kind === "event") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-call" && !answered.has(part.callId)
      ? [{ type: "tool-result", callId: part.callId, name: part.name, status: "failed", text: notRun }]
      : [],
  );
}

const nowhere = { conversationId: null, messageId: null, callId: null } as const;

export function withoutConversations({ modules, agents, ...others }: Transfer): Transfer {
  return {
    ...others,
    modules: modules.map((module) => ({
      ...module,
      revisions: module.revisions.map((revision) => ({ ...revision, ...nowhere })),
    })),
    agents: agents.map((agent) => ({
      ...agent,
      conversations: [],
      passages: agent.passages.map((passage) => ({ ...passage, ...nowhere })),
    })),
  };
}
