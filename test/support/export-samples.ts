// Small exports of other programs, in the shapes that those programs write.
// Invariant: made by hand; every text occurs once, so that a search for it has one hit.

/** Seconds, as ChatGPT writes them. */
export const seconds = (iso: string): number => Date.parse(iso) / 1000;

interface NodeOptions {
  readonly parent: string | null;
  readonly role?: string;
  readonly name?: string;
  readonly at?: string | null;
  readonly content?: unknown;
  readonly recipient?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A node of ChatGPT's mapping; `content` a text or the whole content. */
export function chatgptNode(id: string, options: NodeOptions) {
  const { parent, role = "user", name = null, at = "2024-03-05T10:00:00.250Z", content = `Text of ${id}` } = options;
  const { recipient = "all", metadata = {} } = options;
  const whole = typeof content === "string" ? { content_type: "text", parts: [content] } : content;
  const message = {
    id,
    author: { role, name, metadata: {} },
    create_time: at === null ? null : seconds(at),
    update_time: null,
    content: whole,
    status: "finished_successfully",
    recipient,
    weight: 1,
    metadata,
  };
  return { id, parent, children: [], message };
}

export function chatgptConversation(
  id: string,
  nodes: readonly ReturnType<typeof chatgptNode>[],
  options: Readonly<Record<string, unknown>> = {},
) {
  const root = { id: "root", parent: null, children: [], message: null };
  return {
    id,
    conversation_id: id,
    title: `Talk ${id}`,
    create_time: seconds("2024-03-05T09:59:00Z"),
    update_time: seconds("2024-03-06T12:00:00Z"),
    current_node: nodes.at(-1)?.id,
    mapping: Object.fromEntries([root, ...nodes].map((node) => [node.id, node])),
    ...options,
  };
}

/** A conversation whose second reply was regenerated. */
export const branchedChatgpt = (id = "c-1") =>
  chatgptConversation(id, [
    chatgptNode("u1", { parent: "root", content: "Where does the green ferry leave?" }),
    chatgptNode("a1", { parent: "u1", role: "assistant", at: "2024-03-05T10:00:05Z", content: "From Cacilhas." }),
    chatgptNode("a2", { parent: "u1", role: "assistant", at: "2024-03-05T10:01:00Z", content: "From Belém, hourly." }),
    chatgptNode("u2", { parent: "a2", at: "2024-03-06T11:00:00Z", content: "And the yellow tram?" }),
    chatgptNode("a3", {
      parent: "u2",
      role: "assistant",
      at: "2024-03-06T11:00:04Z",
      content: "From Praça da Figueira.",
    }),
  ]);

interface ClaudeOptions {
  readonly sender?: string;
  readonly at?: string;
  readonly parent?: string;
  readonly content?: readonly unknown[];
  readonly more?: Readonly<Record<string, unknown>>;
}

export function claudeMessage(uuid: string, text: string, options: ClaudeOptions = {}) {
  const { sender = "human", at = "2025-06-01T08:00:00.123456Z", parent, content, more = {} } = options;
  return {
    uuid,
    text,
    content: content ?? [{ type: "text", text, citations: [] }],
    sender,
    created_at: at,
    updated_at: at,
    attachments: [],
    files: [],
    ...(parent === undefined ? {} : { parent_message_uuid: parent }),
    ...more,
  };
}

export const claudeConversation = (uuid: string, messages: readonly unknown[]) => ({
  uuid,
  name: `Chat ${uuid}`,
  summary: "",
  created_at: "2025-06-01T07:59:00Z",
  updated_at: "2025-06-02T08:00:00Z",
  account: { uuid: "account" },
  chat_messages: messages,
});
