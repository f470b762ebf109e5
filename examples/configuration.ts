// One configuration file, in YAML, with MUXI's keys: the resulting settings, and a runtime with them.
import { strict as assert } from "node:assert";
import { writeFile } from "node:fs/promises";
import { createRuntime, loadConfig } from "palimpsest";

const yaml = `
memory:
  buffer:
    size: 50                    # Messages before summarization
    multiplier: 10              # Extended capacity factor
    vector_search: true         # Enable semantic search
    embedding_model: openai/text-embedding-3-small  # Or local/all-MiniLM-L6-v2
  working:
    max_memory_mb: 10           # Memory limit
    fifo_interval_min: 5        # Cleanup frequency
  persistent:
    enabled: true
    provider: postgresql
    connection_string: \${{ secrets.POSTGRES_URI }}
    user_isolation: true
  synopsis:
    identity_ttl: 604800        # 7 days
    context_ttl: 3600           # 1 hour
    refresh_on_access: true
`;
await writeFile("palimpsest.yaml", yaml);

// Your program passes process.env.
const env = { HOME: process.cwd(), POSTGRES_URI: "postgresql://ada:secret@db.example.org/palimpsest" };
const { config } = await loadConfig({ file: "palimpsest.yaml", env });
assert.equal(config.databaseUrl, env.POSTGRES_URI);
assert.deepEqual([config.compaction, config.compactMessages, config.ringEntries], ["ring", 50, 500]);
assert.deepEqual([config.bufferSearch, config.bufferEmbedding], ["meaning", "openai/text-embedding-3-small"]);
assert.deepEqual([config.workingMemory, config.synopsis, config.userIsolation], ["process", "on", "on"]);

// Without that server and without a key, this example uses the embedded store and the local embedder.
const runtime = await createRuntime({ ...config, databaseUrl: null, bufferEmbedding: null });
const buffer = runtime.createMessageBuffer();
buffer.addMessage("user", "The ferry leaves at nine.");
const { hits } = await buffer.search("When does the ferry leave?");
assert.equal(hits[0]?.text, "The ferry leaves at nine.");
process.stdout.write(`A buffer of ${buffer.size} messages; found: ${hits[0].text}\n`);
await runtime.close();
