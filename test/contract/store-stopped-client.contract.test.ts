// A process that is stopped (SIGSTOP) inside a transaction: it holds the rows that it wrote, and others want them. On the
// engine at hand. The time-outs of the tests are the promise: others go on within five seconds.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

let place: TestDatabase;
let database: Database;
let program: ChildProcess;
let said = "";

const askMoment = "select created_at::text as moment from users where user_id = 'ada'";

// Inside, it waits for the parent's line without a statement under way.
const source = `
  import { openDatabase } from ${JSON.stringify(path.join(packageRoot(), "dist/src/store/connection/database.js"))};
  const database = await openDatabase({ connection: JSON.parse(process.argv[1]) });
  const say = (text) => process.stdout.write(text + "\\n");
  const told = new Promise((resolve) => process.stdin.once("data", resolve));
  const outcome = database.transaction("ada", async (tx) => {
    await tx.run("update users set created_at = 'epoch' where user_id = 'ada'", []);
    say("inside");
    await told;
    await tx.run("select 1", []);
  });
  await outcome.then(() => say("committed"), (error) => say(error.name + " " + error.code));
  const rows = await database.transaction("ada", (tx) => tx.run("select 'goes on' as text", []));
  say(rows[0].text);
  await database.close();
  process.exit();`;

beforeAll(async () => {
  place = await createTestDatabase({ isOwn: true });
  database = await openDatabase({ connection: place.connection });
  await database.transaction("ada", (tx) =>
    tx.run("insert into users (user_id, created_at) values ('ada', '2020-01-01')", []),
  );
  program = spawn(process.execPath, ["--input-type=module", "--eval", source, JSON.stringify(place.connection)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  program.stdout!.on("data", (chunk) => (said += String(chunk)));
  await until(() => said.includes("inside"));
  program.kill("SIGSTOP");
});

afterAll(async () => {
  program.kill("SIGKILL");
  await database.close();
  await place.remove();
});

it("a suspended process does not block others that need its rows for longer than its transaction is kept open", async () => {
  const written = await database.transaction("ada", async (tx) => {
    await tx.run("update users set created_at = created_at + interval '1 day' where user_id = 'ada'", []);
    return tx.run<{ moment: string }>(askMoment, []);
  });
  expect(written).toEqual([{ moment: expect.stringContaining("2020-01-02") }]);
});

it("when it is continued its transaction is run again, on the newer rows", async () => {
  program.kill("SIGCONT");
  program.stdin!.write("go on\n");
  await until(() => said.includes("goes on"));
  expect(said).toBe("inside\ninside\ncommitted\ngoes on\n");
  const kept = await database.transaction("ada", (tx) => tx.run<{ moment: string }>(askMoment, []));
  expect(kept).toEqual([{ moment: expect.stringContaining("1970-01-01") }]);
});
