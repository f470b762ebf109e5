// Two nodes of a workflow, each with a separate memory in one conversation, and a second writer for one of them.
import { strict as assert } from "node:assert";
import { resolve } from "node:path";
import { createRuntime } from "palimpsest";

const dataDir = "data";
const runtime = await createRuntime({ dataDir, embedder: null, objects: `folder:${resolve(dataDir, "objects")}` });

// The ids are the workflow's own. No agent is needed.
const conversation = "ticket-4711";
const triage = runtime.nodeMemory.open({ app: "support", conversation, node: "triage" });
const reply = runtime.nodeMemory.open({ app: "support", conversation, node: "reply" });

const asked = { messageId: "m1", parentMessageId: null, userContent: "My boat leaks." };
triage.addMessages({ ...asked, assistantContent: "urgent" });
reply.addMessages({ ...asked, assistantContent: "Where does it come in?" });
await Promise.all([triage.flush(), reply.flush()]);

// A second writer, as in another process: neither loses the other's messages.
const beside = runtime.nodeMemory.open({ app: "support", conversation, node: "reply" });
beside.addMessages({
  messageId: "m2",
  parentMessageId: "m1",
  userContent: "Below the mast.",
  assistantContent: "Is the bilge pump on?",
});
await beside.flush();

// Before the model is called for message m3:
const history = await reply.getHistoryPromptMessages("m3", { maxTokens: 2000 });
assert.equal(history.length, 4);
assert.equal((await triage.getHistoryPromptMessages("m3")).length, 2);
for (const { role, content } of history) {
  process.stdout.write(`${role}: ${content.map((part) => (part.type === "text" ? part.text : "")).join("")}\n`);
}

// The history for the mode in a workflow's configuration.
assert.throws(
  () => runtime.nodeMemory.forMode({ mode: "node", app: "support", conversation: "", node: "reply" }),
  /`conversation` for the mode "node", got none/,
);
await runtime.close();
