// Replaces the ids of everything in a transfer, and updates the references to them.
// Invariant: pure except for taking new ids; equal ids become equal ids; an id from outside of the transfer is kept.
import type { Ids } from "../base/ids.ts";
import type {
  Transfer,
  TransferredAgent,
  TransferredConversation,
  TransferredMessage,
  TransferredModule,
  TransferredPassage,
} from "../store/port/transfer-store.ts";
import { type ContentPart, filesOf } from "../base/message/message.ts";
import type { FilePart } from "../base/message/file-part.ts";

/** Returns the ids of everything in a transfer that has its own row, except tools and sources, which have names. */
export function ownIds({ modules, agents }: Transfer): readonly string[] {
  const ofConversation = ({ id, messages, compactions }: TransferredConversation) => [
    id,
    ...messages.flatMap((message) => [message.id, ...attachmentsOf(message)]),
    ...compactions.map((compaction) => compaction.id),
  ];
  return [
    ...modules.map(({ id }) => id),
    ...agents.flatMap(({ id, conversations, passages }) => [
      id,
      ...conversations.flatMap(ofConversation),
      ...passages.map((passage) => passage.id),
    ]),
  ];
}

/** Returns the ids of the stored files that a message has. */
export function attachmentsOf(message: Pick<TransferredMessage, "content">): readonly string[] {
  return filesOf(message).flatMap(({ location }) => (location.type === "attachment" ? [location.id] : []));
}

type Renew = <Id extends string | null>(id: Id) => Id;

/** Returns the transfer with new ids for what `ownIds` returns. */
export function renewIds(transfer: Transfer, ids: Ids): Transfer {
  const renewed = new Map(ownIds(transfer).map((id) => [id, ids.next()]));
  const renew: Renew = <Id extends string | null>(id: Id) => (id === null ? id : ((renewed.get(id) ?? id) as Id));
  return replacedIds(transfer, renew);
}

/** Returns the transfer with all ids replaced, including the ids of tools and sources. */
export function replacedIds({ modules, tools, sources, agents }: Transfer, renew: Renew): Transfer {
  return {
    modules: modules.map((module) => renewedModule(module, renew)),
    tools: tools.map((tool) => ({ ...tool, id: renew(tool.id) })),
    sources: sources.map((source) => ({
      ...source,
      id: renew(source.id),
      passages: source.passages.map((passage) => renewedPassage(passage, renew)),
    })),
    agents: agents.map((agent) => renewedAgent(agent, renew)),
  };
}

function renewedModule(module: TransferredModule, renew: Renew): TransferredModule {
  const revisions = module.revisions.map((revision) => ({
    ...revision,
    agentId: renew(revision.agentId),
    messageId: renew(revision.messageId),
    conversationId: renew(revision.conversationId),
    external: revision.external.map((source) => ({ ...source, id: renew(source.id) })),
  }));
  return { ...module, id: renew(module.id), revisions };
}

function renewedAgent(agent: TransferredAgent, renew: Renew): TransferredAgent {
  const withId = <Item extends { readonly id: string }>(item: Item): Item => ({ ...item, id: renew(item.id) });
  return {
    ...agent,
    id: renew(agent.id),
    modules: agent.modules.map(withId),
    tools: agent.tools.map(withId),
    sources: agent.sources.map(renew),
    conversations: agent.conversations.map((conversation) => renewedConversation(conversation, renew)),
    passages: agent.passages.map((passage) => renewedPassage(passage, renew)),
  };
}

function renewedConversation(conversation: TransferredConversation, renew: Renew): TransferredConversation {
  return {
    ...conversation,
    id: renew(conversation.id),
    leafId: renew(conversation.leafId),
    messages: conversation.messages.map((message) => renewedMessage(message, renew)),
    compactions: conversation.compactions.map((compaction) => ({
      ...compaction,
      id: renew(compaction.id),
      throughId: renew(compaction.throughId),
    })),
  };
}

function renewedMessage(message: TransferredMessage, renew: Renew): TransferredMessage {
  return {
    ...message,
    id: renew(message.id),
    parentId: renew(message.parentId),
    turnId: renew(message.turnId),
    content: message.content.map((part) => renewedPart(part, renew)),
    calls: message.calls.map((call) => ({ ...call, resultMessageId: renew(call.resultMessageId) })),
  };
}

function renewedPart(part: ContentPart, renew: Renew): ContentPart {
  if (part.type === "file") return renewedFile(part, renew);
  if (part.type !== "tool-result" || part.files === undefined) return part;
  return { ...part, files: part.files.map((file) => renewedFile(file, renew)) };
}

function renewedFile(file: FilePart, renew: Renew): FilePart {
  const { location } = file;
  return location.type === "url" ? file : { ...file, location: { ...location, id: renew(location.id) } };
}

function renewedPassage(passage: TransferredPassage, renew: Renew): TransferredPassage {
  return {
    ...passage,
    id: renew(passage.id),
    messageId: renew(passage.messageId),
    conversationId: renew(passage.conversationId),
    replacedBy: renew(passage.replacedBy),
    external: passage.external.map((source) => ({ ...source, id: renew(source.id) })),
  };
}
