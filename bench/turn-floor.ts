// The floor of a turn: its rows written and read by bare SQL, one statement per row, in the same number of transactions.
import postgres from "postgres";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";
import { newThread, setUp, type Statement, turnOf } from "./floor-statements.ts";

export interface Floor {
  readonly sql: postgres.Sql;
  turn(kind: "text" | "tool"): Promise<void>;
  close(): Promise<void>;
}

export type FloorPlace = { readonly folder: string } | { readonly url: string };

/** Connects like the runtime, and uses its own rows in the same tables. */
export async function openFloor(place: FloorPlace): Promise<Floor> {
  const { sql, close } = await connect(place);
  const thread = newThread();
  for (const [text, parameters] of setUp(thread)) await sql.unsafe(text, [...parameters]);
  const transaction = (statements: readonly Statement[]): Promise<unknown> =>
    sql.begin(async (tx) => {
      const setting =
        "select set_config('role', 'palimpsest_runtime', true), set_config('palimpsest.user_id', $1, true)";
      await tx.unsafe(setting, [thread.user], { prepare: true });
      for (const [text, parameters] of statements) await tx.unsafe(text, [...parameters], { prepare: true });
    });
  return {
    sql,
    async turn(kind) {
      for (const statements of turnOf(thread, kind)) await transaction(statements);
    },
    close,
  };
}

async function connect(place: FloorPlace): Promise<Pick<Floor, "sql" | "close">> {
  const options = { max: 1, onnotice: () => undefined, fetch_types: false };
  if ("url" in place) {
    const sql = postgres(place.url, options);
    return { sql, close: () => sql.end() };
  }
  const served = await connectOrServe({ folder: place.folder, host: "worker" });
  const sql = postgres({ ...served.connection, ...options });
  return {
    sql,
    async close() {
      await sql.end();
      await served.close();
    },
  };
}
