// Keeps turns in one node memory, as several writers, and says each that it has kept; ends when all are kept and its input ends,
// unless it is killed. Run with the built library. Arguments: the library, the data folder or URL, the setting `objects`, and as
// JSON: `names` of its writers, and of `all` where other processes have some; `turns` of each, or null for no end; `letters` of
// each question.
// Invariant: a writer goes on from the turn before of the next of all writers, so that no thread is of one writer alone.
import { once } from "node:events";
import { pathToFileURL } from "node:url";

const [library, database, objects, work] = process.argv.slice(2);
const { names, all = names, turns, letters } = JSON.parse(work);
const { createRuntime } = await import(pathToFileURL(library).href);
const place = database.includes("://") ? { databaseUrl: database } : { dataDir: database };
const keys = { s3AccessKeyId: "id", s3SecretAccessKey: "secret" };
const runtime = await createRuntime({ ...place, objects, embedder: null, ...keys });
await Promise.all(names.map(write));
// Whoever has the embedded engine in its process stays until the others are done, so that nothing of theirs is broken off.
await once(process.stdin.resume(), "end");
await runtime.close();

async function write(name) {
  const memory = runtime.nodeMemory.open({ app: "crash", conversation: "conv-1", node: "llm", compressAbove: 1e9 });
  const before = all[(all.indexOf(name) + 1) % all.length];
  for (let number = 0; turns === null || number < turns; number += 1) {
    const messageId = `${name}-${number}`;
    const parentMessageId = number === 0 ? null : `${before}-${number - 1}`;
    memory.addMessages({ messageId, parentMessageId, userContent: "x".repeat(letters), assistantContent: messageId });
    await flush(memory);
    process.stdout.write(`${messageId}\n`);
  }
}

/** Another writer may have been killed that had the embedded engine in its process: what was added waits, and is flushed again. */
async function flush(memory) {
  for (;;) {
    try {
      return await memory.flush();
    } catch (error) {
      if (error.code !== "store_unreachable") throw error;
    }
  }
}
