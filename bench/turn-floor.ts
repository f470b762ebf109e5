// What a turn costs at the least: its rows written and read by bare SQL, one statement a row, in as many transactions.
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";

export interface Floor {
  readonly sql: postgres.Sql;
  turn(kind: "text" | "tool"): Promise<void>;
  close(): Promise<void>;
}

type Place = { readonly folder: string } | { readonly url: string };
type Statement = readonly [text: string, parameters: readonly (string | number | null)[]];

/** Connects as the runtime does, and keeps rows of its own beside the runtime's. */
export async function openFloor(place: Place): Promise<Floor> {
  const served = "folder" in place ? await connectOrServe({ folder: place.folder, host: "worker" }) : null;
  const options = { max: 1, onnotice: () => undefined, fetch_types: false };
  const sql =
    served === null
      ? postgres((place as { url: string }).url, options)
      : postgres({ ...served.connection, ...options, prepare: false });
  const row = {
    user: "floor",
    agent: randomUUID(),
    conversation: randomUUID(),
    leaf: null as string | null,
    position: 0,
    revision: 0,
  };
  await sql.unsafe("insert into users (user_id) values ($1) on conflict do nothing", [row.user]);
  await sql.unsafe(
    `insert into agents (user_id, id, name, model, protocol, memory_type, system_prompt, settings) values ($1, $2, $3, 'm', 'native', 'chat', '', '{}')`,
    [row.user, row.agent, row.agent],
  );
  await sql.unsafe("insert into conversations (user_id, id, agent_id) values ($1, $2, $3)", [
    row.user,
    row.conversation,
    row.agent,
  ]);
  await sql.unsafe(
    "insert into modules (user_id, agent_id, label, position, scope, value, max_length, read_only) values ($1, $2, 'human', 1, 'user', '', 1000000, false)",
    [row.user, row.agent],
  );

  const message = (role: string, text: string): readonly Statement[] => {
    const id = randomUUID();
    const parent = row.leaf;
    row.leaf = id;
    row.position += 1;
    return [
      [
        `insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, kind, status, content, text, search_text, tokens, created_at)
         values ($1, $2, $3, $4, $5, $2, $6, $1, $7, 'message', 'complete', $8::text::jsonb, $9, $9, 24, now())`,
        [
          row.user,
          id,
          row.agent,
          row.conversation,
          parent,
          row.position,
          role,
          JSON.stringify([{ type: "text", text }]),
          text,
        ],
      ],
      [
        "update conversations set leaf_id = $3::uuid, leaf_position = $4 where user_id = $1 and id = $2::uuid",
        [row.user, row.conversation, id, row.position],
      ],
    ];
  };
  const begin = (): readonly Statement[] => [
    ...message("user", "How is the weather at the harbour today?"),
    [
      "insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status) values ($1, $2, $3, $4, 'taken')",
      [row.user, row.agent, row.conversation, randomUUID()],
    ],
    ["select label, revision from modules where user_id = $1 and agent_id = $2", [row.user, row.agent]],
  ];
  const reply = (): readonly Statement[] => [
    ...message("assistant", "Clear, with a light breeze from the west."),
    [
      `insert into steps (user_id, id, agent_id, conversation_id, turn_id, number, message_id, model, finish, input_tokens, output_tokens, cached_input_tokens, report)
       values ($1, $2, $3, $4, $2, 1, $2, 'm', 'end', 0, 0, 0, '{}')`,
      [row.user, randomUUID(), row.agent, row.conversation],
    ],
  ];
  const call = (): readonly Statement[] => {
    const statements = reply();
    const insert =
      "insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status) values ($1, $2, $3, $4, 'c', 0, 'core_memory_append', 'pending')";
    return [...statements, [insert, [row.user, row.agent, row.conversation, row.leaf]]];
  };
  const result = (): readonly Statement[] => {
    const called = row.leaf;
    const value = "likes sailing";
    row.revision += 1;
    return [
      ...message("tool", "None"),
      [
        "update tool_calls set status = 'ok' where user_id = $1 and message_id = $2 and call_id = 'c'",
        [row.user, called],
      ],
      [
        "update modules set value = $3, revision = $4 where user_id = $1 and agent_id = $2 and label = 'human' and revision = $4 - 1",
        [row.user, row.agent, value, row.revision],
      ],
      [
        "insert into revisions (user_id, agent_id, label, revision, before, after, origin) values ($1, $2, 'human', $3, '', $4, 'model')",
        [row.user, row.agent, row.revision, value],
      ],
    ];
  };
  const transaction = (statements: readonly Statement[]): Promise<unknown> =>
    sql.begin(async (tx) => {
      await tx.unsafe(
        "select set_config('role', 'palimpsest_runtime', true), set_config('palimpsest.user_id', $1, true)",
        [row.user],
      );
      for (const [text, parameters] of statements) await tx.unsafe(text, [...parameters]);
    });

  return {
    sql,
    async turn(kind) {
      await transaction(begin());
      if (kind === "tool") {
        await transaction(call());
        await transaction(result());
      }
      await transaction(reply());
    },
    async close() {
      await sql.end();
      await served?.close();
    },
  };
}
