// Keeps turns in one node memory until it is killed, and says each that it has kept. Run with the built library.
// Arguments: the library, the data folder or URL, the setting `objects`, a name for its turns.
import { pathToFileURL } from "node:url";

const [library, database, objects, name] = process.argv.slice(2);
const { createRuntime } = await import(pathToFileURL(library).href);
const place = database.includes("://") ? { databaseUrl: database } : { dataDir: database };
const keys = { s3AccessKeyId: "id", s3SecretAccessKey: "secret" };
const runtime = await createRuntime({ ...place, objects, embedder: null, ...keys });
const memory = runtime.nodeMemory.open({ app: "crash", conversation: "conv-1", node: "llm", compressAbove: 1e9 });
for (let number = 0; ; number += 1) {
  const messageId = `${name}-${number}`;
  const parentMessageId = number === 0 ? null : `${name}-${number - 1}`;
  memory.addMessages({ messageId, parentMessageId, userContent: "x".repeat(50_000), assistantContent: messageId });
  await flush();
  process.stdout.write(`${messageId}\n`);
}

/** Another writer may have been killed that had the embedded engine in its process: what was added waits, and is flushed again. */
async function flush() {
  for (;;) {
    try {
      return await memory.flush();
    } catch (error) {
      if (error.code !== "store_unreachable") throw error;
    }
  }
}
