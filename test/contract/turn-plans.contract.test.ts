// A turn finds its rows by indexes, whatever the statistics say: for a user who is missing from them, and who has many messages.
// On the engine at hand.
import { createUserContext, openDatabase, type UserContext } from "../../src/store/connection/database.ts";
import { beginTurn } from "../../src/store/sql/begin-turn.ts";
import { rowsOfMessages } from "../../src/store/conversations/message-rows.ts";
import { useStore } from "../support/database.ts";
import { chain, newTalk, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const { test: opened } = useStore();
const database = useScene(() => openDatabase({ connection: opened.connection }));
let ada: UserContext;
let talk: Talk;

beforeAll(async () => {
  ada = createUserContext(database, "ada");
  talk = await newTalk(opened.store.as("ada"));
  // The statistics know 3,000 users with five messages each. The rows of other users need no agents: only Ada's are read.
  await seed("'user ' || n % 3000", 15_000);
  await database.ownerTransaction((tx) => tx.run("analyze messages", []));
  await seed("'ada'", 6000);
  // A message before the conversation's beginning.
  await seed("'ada'", 1, "now() - interval '1 day'");
});

async function seed(user: string, count: number, at = "now()"): Promise<void> {
  await database.ownerTransaction(async (tx) => {
    await tx.run("set local session_replication_role = replica", []);
    await tx.run(
      `insert into messages (user_id, id, agent_id, conversation_id, turn_id, position, author, role, kind, status, content,
         text, search_text, tokens, created_at)
       select ${user}, gen_random_uuid(), $1::uuid, $2::uuid, gen_random_uuid(), n, 'user', 'user', 'message', 'complete', '[]',
         'line', 'line', 1, ${at} from generate_series(1, $3::int) n`,
      [talk.agentId, talk.conversationId, count],
    );
  });
}

interface PlanNode {
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
}

test("a turn of a user who is missing from the statistics reads few blocks: it sorts and scans no messages", async () => {
  const messages = chain(null, [{ text: "Hello" }]);
  const rows = rowsOfMessages(messages, null);
  const parameters = [
    "ada",
    talk.conversationId,
    null,
    rows,
    talk.lease.fence,
    null,
    60_000,
    [],
    null,
    "{}",
    false,
    null,
    null,
  ];
  // The first call in a connection plans the queries of the function, which reads the catalog.
  const searchable = "select searchable_memory($1, $2::uuid, $3::uuid, null)";
  await ada.statement(searchable, ["ada", talk.agentId, talk.conversationId]);
  const [row] = await ada.statement<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, buffers, format json) ${beginTurn}`,
    parameters as Parameters<UserContext["statement"]>[1],
  );
  const plan = row!["QUERY PLAN"][0]!.Plan;
  // 201 rows are counted. With a sort, or a scan of all, it is more than 800.
  expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThan(450);
});

test("a statement of its own is planned once, and without sorting", async () => {
  const [settings] = await ada.statement<{ readonly plans: string; readonly sort: string }>(
    "select current_setting('plan_cache_mode') as plans, current_setting('enable_sort') as sort",
    [],
  );
  expect(settings).toEqual({ plans: "force_generic_plan", sort: "off" });
  const [outside] = await ada.repeatable((tx) =>
    tx.run<{ readonly sort: string }>("select current_setting('enable_sort') as sort", []),
  );
  expect(outside).toEqual({ sort: "on" });
});
