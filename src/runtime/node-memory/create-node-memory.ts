// The memory of one node: added exchanges wait in the process until they are flushed.
// Invariant: a waiting exchange is dropped only after it was stored, refused with an error, or cleared.
import { createQueue } from "../../base/waiting.ts";
import { cutHistory, readLimits } from "../../context/conversation-history.ts";
import { RequestError } from "../../base/errors.ts";
import { mergeExchanges, newExchange, type NodeExchange, refusedExchange } from "../../memory/node/merge-messages.ts";
import { compressedAbove, nodeKeyText, type NodeMessage, requireNodeKey } from "../../memory/node/node-format.ts";
import { rebuildFiles } from "../../memory/node/node-files.ts";
import type { NodeHistoryOptions, NodeMemory, NodeMemoryOptions } from "../../memory/node/node-memory.ts";
import type { Message } from "../../base/message/message.ts";
import { countMessage } from "../../model/tokens/token-counter.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { createNodeObject, type NodeObject } from "./node-object.ts";
import { nodeThread } from "./node-thread.ts";
import { appendAll } from "../../base/lists.ts";
import { pagesBackwards } from "../conversations/pages-backwards.ts";

type NodeMemoryDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "files" | "ids" | "clock" | "log">;

/** Returns the memory of a node. Throws RequestError `input_invalid` for an invalid part of the key or an invalid size. */
export function createNodeMemory(deps: NodeMemoryDeps, options: NodeMemoryOptions): NodeMemory {
  const key = requireNodeKey(options);
  const { compressAbove = compressedAbove, model = deps.defaults.model } = options;
  requireSize(compressAbove);
  const object = createNodeObject(deps, key, compressAbove);
  const counter = deps.models.counterFor(model, deps.defaults.settings.baseUrl);
  const countTokens = (message: Message): number => countMessage(counter, message);
  let waiting: readonly NodeExchange[] = [];
  // Flushes of one memory run one after the other, because concurrent ones would only conflict with each other.
  const queue = createQueue();
  return {
    mode: "node",
    key: nodeKeyText(key),
    addMessages(exchange) {
      waiting = [...waiting, newExchange(exchange, { at: deps.clock.now(), countTokens })];
    },
    async getHistoryPromptMessages(currentMessageId, request = {}) {
      const limits = readLimits(request);
      const { messages } = await object.read();
      const merged = mergeExchanges(messages, waiting).messages;
      const thread = await threadOf(deps, {
        messages: merged,
        conversation: key.conversation,
        currentMessageId,
        request,
      });
      const prompts = promptsOf(deps, thread.toReversed());
      const history = await cutHistory(prompts, limits, countTokens);
      return history.messages.map(({ role, content }) => ({ role, content }));
    },
    flush: () =>
      queue.run(async () => {
        const exchanges = waiting;
        if (exchanges.length === 0) return;
        const refused = await storeExchanges(object, exchanges);
        waiting = waiting.filter((exchange) => !exchanges.includes(exchange));
        if (refused.length > 0) throw refusedExchange(refused[0]!);
      }),
    clear: () =>
      queue.run(async () => {
        await object.delete();
        waiting = [];
      }),
  };
}

/**
 * Stores the exchanges and returns the refused ones. Retries after a conflict without a limit, because each conflict means that
 * another writer succeeded.
 */
async function storeExchanges(
  object: NodeObject,
  exchanges: readonly NodeExchange[],
): Promise<readonly NodeExchange[]> {
  for (;;) {
    const state = await object.read();
    const { messages, added, refused } = mergeExchanges(state.messages, exchanges);
    if (added === 0 || (await object.replace(state, messages))) return refused;
  }
}

interface ThreadRequest {
  readonly messages: readonly NodeMessage[];
  readonly conversation: string;
  readonly currentMessageId: string;
  readonly request: NodeHistoryOptions;
}

async function threadOf(deps: Pick<OperationDeps, "store">, thread: ThreadRequest): Promise<readonly NodeMessage[]> {
  const { messages, conversation, currentMessageId: current, request } = thread;
  if (messages.length === 0) return [];
  const parent = request.parentMessageId ?? null;
  const wanted = new Set(messages.filter(({ role }) => role === "user").map(({ message_id: id }) => id));
  const lineage = await lineageOf(deps, conversation, { through: current, wanted });
  return nodeThread(messages, { current, parent, lineage });
}

/** Yields the messages with their files. The files of a message are loaded only when the consumer reaches the message. */
async function* promptsOf(
  { store, files }: Pick<OperationDeps, "store" | "files">,
  newestFirst: readonly NodeMessage[],
): AsyncGenerator<Message & { readonly role: "user" | "assistant" }> {
  for (const { role, content, files: references } of newestFirst) {
    const rebuilt = await rebuildFiles(references, { attachments: store.attachments, read: files.read });
    yield { role, content: [{ type: "text", text: content }, ...rebuilt] };
  }
}

function requireSize(bytes: number): void {
  if (Number.isInteger(bytes) && bytes >= 0) return;
  throw new RequestError(
    "input_invalid",
    `Expected \`compressAbove\` to be a whole number of bytes of at least 0, got ${bytes}.`,
  );
}

interface LineageRequest {
  readonly through: string;
  /** The ids to find. Reading stops when all are found. */
  readonly wanted: ReadonlySet<string>;
}

/**
 * Returns the ids of the message and its ancestors in a conversation of the runtime, oldest first; null if the
 * conversation or the message is unknown. An unknown id is not an error, because an application may use its own ids.
 */
async function lineageOf(
  { store }: Pick<OperationDeps, "store">,
  conversation: string,
  { through, wanted }: LineageRequest,
): Promise<readonly string[] | null> {
  const newestFirst: string[] = [];
  if (wanted.size === 0) return newestFirst;
  let missing = wanted.size;
  try {
    for await (const page of pagesBackwards(store.conversations, conversation, through)) {
      appendAll(newestFirst, page.map(({ id }) => id).reverse());
      missing -= page.filter(({ id }) => wanted.has(id)).length;
      if (missing === 0) break;
    }
  } catch (error) {
    if (isUnknown(error)) return null;
    throw error;
  }
  return newestFirst.reverse();
}

function isUnknown(error: unknown): boolean {
  return error instanceof RequestError && ["conversation_not_found", "message_not_found"].includes(error.code);
}
