// Lists the topics of the command line, in the order in which help shows them, and describes the topics about records.
// Invariant: this file imports nothing: the chat loads it before its first frame.

interface Group {
  /** The first words of the group's commands. */
  readonly topics: readonly string[];
  /** The line of help about the group. */
  readonly about: string;
}

export const groups: readonly Group[] = [
  { topics: ["chat"], about: "talk with an agent (default)" },
  { topics: ["agents"], about: "agents and sharing" },
  { topics: ["memory"], about: "core memory: always in the prompt" },
  { topics: ["modules"], about: "core memory to share" },
  { topics: ["recall", "archival"], about: "all messages; passages that the agent saved" },
  { topics: ["synopsis", "compactions"], about: "summary of the archive; summaries in a window, undoing them" },
  { topics: ["consolidate"], about: "let a model tidy memory, with a review and an undo" },
  { topics: ["load", "attach", "detach", "sources"], about: "files that agents can search" },
  { topics: ["tools", "skills"], about: "stored tools; how to do certain tasks" },
  { topics: ["context"], about: "the content of the window, and the plan for a query" },
  { topics: ["conversations"], about: "threads with an agent" },
  { topics: ["import"], about: "conversations and memories of other programs" },
  { topics: ["approvals", "turns"], about: "tool calls that wait for your approval; what turns did" },
  { topics: ["schedule"], about: "messages that are sent to an agent at set times" },
  { topics: ["forget", "retention", "node-memory"], about: "removal of content everywhere; deletion of old data" },
  { topics: ["personas", "humans", "identities"], about: "starter texts; whom agents talk to" },
  { topics: ["serve", "keys", "users", "inspect"], about: "a server, its inspector, its keys and users" },
  { topics: ["mcp"], about: "memory for other programs, and tools of servers" },
  { topics: ["mcp-servers"], about: "servers that you have added yourself" },
  {
    topics: [
      "configure",
      "models",
      "config",
      "doctor",
      "eval",
      "optimize",
      "reembed",
      "backup",
      "restore",
      "completions",
    ],
    about: "set up; check; back up",
  },
];

/** A topic whose commands are `list`, `show`, `add`, `set` and `remove`, each for one kind of record. */
export interface RecordTopic {
  /** The noun for one record, such as "an identity". */
  readonly one: string;
  /** The fields that the list shows. */
  readonly columns: readonly string[];
  /** Text that is appended to the summary of `show`, and to that of `remove`. */
  readonly ofShow?: string;
  readonly ofRemove?: string;
  /** Details of `add`, for its help. */
  readonly details?: string;
}

export const recordTopics = {
  identities: {
    one: "an identity",
    columns: ["name", "kind", "key", "id"],
    ofShow: " with its properties",
    ofRemove: "; agents stay",
    details: "The key is your own id for it: identities add key ada@example.com name Ada.",
  },
} as const satisfies Readonly<Record<string, RecordTopic>>;
