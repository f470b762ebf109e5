// The rows of a turn as plain statements, one per row: the writes and reads that any implementation needs.
import { randomUUID } from "node:crypto";

export type Statement = readonly [text: string, parameters: readonly (string | number | null)[]];

/** The rows of one conversation that only the floor uses. */
export interface FloorThread {
  readonly user: string;
  readonly agent: string;
  readonly conversation: string;
  leaf: string | null;
  position: number;
  revision: number;
  /** The module's text, which grows by a line per turn as the runtime's does. */
  value: string;
  turn: string;
}

export function newThread(): FloorThread {
  return {
    user: "floor",
    agent: randomUUID(),
    conversation: randomUUID(),
    leaf: null,
    position: 0,
    revision: 0,
    value: "",
    turn: "",
  };
}

/** The rows that must exist before a turn. */
export function setUp({ user, agent, conversation }: FloorThread): readonly Statement[] {
  return [
    ["insert into users (user_id) values ($1) on conflict do nothing", [user]],
    [
      `insert into agents (user_id, id, name, model, protocol, memory_type, system_prompt, settings)
       values ($1, $2, $3, 'm', 'native', 'chat', '', '{}')`,
      [user, agent, agent],
    ],
    ["insert into grants (user_id, agent_id, owner_id) values ($1, $2, $1)", [user, agent]],
    ["insert into conversations (user_id, id, agent_id) values ($1, $2, $3)", [user, conversation, agent]],
    [
      "insert into modules (user_id, id, label, value, max_length, read_only) values ($1, $2, 'human', '', 1000000, false)",
      [user, agent],
    ],
    [
      `insert into agent_modules (user_id, agent_id, label, owner_id, module_id, position, scope)
       values ($1, $2, 'human', $1, $2, 1, 'user')`,
      [user, agent],
    ],
  ];
}

/** The transactions of a turn, in order. */
export function turnOf(thread: FloorThread, kind: "text" | "tool"): readonly (readonly Statement[])[] {
  const begun = begin(thread);
  if (kind === "text") return [begun, lastReply(thread)];
  const answered = [...call(thread), ...result(thread)];
  return [begun, answered, lastReply(thread)];
}

function message(thread: FloorThread, role: string, text: string): readonly Statement[] {
  const { user, agent, conversation, leaf } = thread;
  const id = randomUUID();
  thread.leaf = id;
  thread.position += 1;
  const content = JSON.stringify([{ type: "text", text }]);
  return [
    [
      `insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, kind, status,
         content, text, search_text, tokens, created_at)
       values ($1, $2, $3, $4, $5, $2, $6, $1, $7, 'message', 'complete', $8::text::jsonb, $9, $9, 24, now())`,
      [user, id, agent, conversation, leaf, thread.position, role, content, text],
    ],
    [
      "update conversations set leaf_id = $3::uuid, leaf_position = $4 where user_id = $1 and id = $2::uuid",
      [user, conversation, id, thread.position],
    ],
  ];
}

function begin(thread: FloorThread): readonly Statement[] {
  const { user, agent, conversation } = thread;
  thread.turn = randomUUID();
  return [
    ...message(thread, "user", "How is the weather at the harbour today?"),
    [
      "insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status) values ($1, $2, $3, $4, 'taken')",
      [user, agent, conversation, randomUUID()],
    ],
    [
      "insert into turns (user_id, id, agent_id, conversation_id) values ($1, $2, $3, $4)",
      [user, thread.turn, agent, conversation],
    ],
    [
      "select h.label, m.revision from agent_modules h join modules m on m.user_id = h.owner_id and m.id = h.module_id where h.user_id = $1 and h.agent_id = $2",
      [user, agent],
    ],
  ];
}

/** As long as those of a short turn. */
const events = "e".repeat(600);

/** Figures like those of a step's report on its window. */
const report = JSON.stringify({
  tiers: {
    system: { parts: { tools: 1238, changes: 140, coreMemory: 32, instructions: 875 }, tokens: 2285, granted: 2285 },
    archive: { parts: { summaries: 0, olderTurns: 0 }, tokens: 0, granted: 0 },
    working: { parts: { turn: 102, recentTurns: 0 }, tokens: 102, granted: 102 },
  },
  total: 2387,
  demand: 2387,
  factor: 1,
  layout: "stable",
  window: 1_000_000,
  counted: 2387,
  leftOut: [],
  reserve: 4096,
  overflow: null,
  compacted: { messages: 0, summaries: 0 },
});

function reply(thread: FloorThread): readonly Statement[] {
  const { user, agent, conversation } = thread;
  return [
    ...message(thread, "assistant", "Clear, with a light breeze from the west."),
    [
      `insert into steps (user_id, id, agent_id, conversation_id, turn_id, number, message_id, model, finish,
         input_tokens, output_tokens, cached_input_tokens, report)
       values ($1, $2, $3, $4, $2, 1, $2, 'm', 'end', 0, 0, 0, $5::text::jsonb)`,
      [user, randomUUID(), agent, conversation, report],
    ],
    [
      `insert into turn_events (user_id, agent_id, conversation_id, turn_id, first_sequence, last_sequence, events)
       values ($1, $2, $3, $4, 1, 5, $5)`,
      [user, agent, conversation, randomUUID(), events],
    ],
  ];
}

function lastReply(thread: FloorThread): readonly Statement[] {
  const end = "update turns set stop_reason = 'end-turn', ended_at = now() where user_id = $1 and id = $2";
  return [...reply(thread), [end, [thread.user, thread.turn]]];
}

function call(thread: FloorThread): readonly Statement[] {
  const statements = reply(thread);
  const { user, agent, conversation, leaf } = thread;
  const insert = `insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status)
    values ($1, $2, $3, $4, 'c', 0, 'core_memory_append', 'pending')`;
  return [...statements, [insert, [user, agent, conversation, leaf]]];
}

function result(thread: FloorThread): readonly Statement[] {
  const { user, agent, leaf: called, value: before } = thread;
  const value = before === "" ? "likes sailing" : `${before}\nlikes sailing`;
  thread.revision += 1;
  thread.value = value;
  return [
    ...message(thread, "tool", "None"),
    ["update tool_calls set status = 'ok' where user_id = $1 and message_id = $2 and call_id = 'c'", [user, called]],
    [
      `update modules set value = $3, revision = $4
       where user_id = $1 and id = $2 and revision = $4 - 1`,
      [user, agent, value, thread.revision],
    ],
    [
      `insert into revisions (user_id, module_id, revision, editor_id, agent_id, before, after, origin)
       values ($1, $2, $3, $1, $2, $5, $4, 'model')`,
      [user, agent, thread.revision, value, before],
    ],
  ];
}
