// The process that is killed while it restores a backup. It first checks what the one before left: nothing, or everything.
// It writes lines: `state empty`, `state whole` or `violation …`, then `restoring`, and `restored MS` when it has committed.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { openDatabase } from "../../src/store/connection/database.ts";
import { openStore } from "../../src/store/open-store.ts";
import { digestOfRows, noRows } from "./digest-of-rows.ts";
import { connectionOf } from "./child-connection.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    file: { type: "string", default: "" },
    digest: { type: "string", default: "" },
    /** Restores in two transactions, as a careless change might: to show that the trials find it. */
    halves: { type: "boolean", default: false },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const connection = connectionOf(values);
const store = await openStore({ connection });
const found = await digestOfRows(connection);
if (found === noRows) {
  say("state empty");
  if (values.halves) await leaveHalf();
  const begun = performance.now();
  say("restoring");
  await store.restore(values.file);
  say(`restored ${performance.now() - begun}`);
} else if (found === values.digest) say("state whole");
else say("violation the database is neither empty nor whole");
await store.close();

async function leaveHalf(): Promise<void> {
  const database = await openDatabase({ connection });
  await database.ownerTransaction((tx) => tx.run("insert into users (user_id) values ('half')", []));
  await database.close();
}
