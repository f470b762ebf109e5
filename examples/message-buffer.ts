// Short-term memory without an agent: the last messages of two users, summaries of what left the window, and JSON.
import { strict as assert } from "node:assert";
import { MessageBuffer } from "palimpsest/buffer";

const buffer = new MessageBuffer({
  size: 5,
  // A real summarizer would call a model: it gets the messages of one user and returns a text.
  summarizer: async (messages) => messages.map(({ text }) => text).join("; "),
});
buffer.addMessage("user", "I'm Alice and I sail.", { user_id: "alice" });
buffer.addMessage("user", "I'm Bob.", { user_id: "bob" });
for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]) {
  buffer.addMessage("user", `On ${day} it rained.`, { user_id: "alice" });
}
await buffer.summarize();

const prompt = buffer.getFormattedMessages({ user: "alice" });
assert.equal(prompt[0]?.content, "Previous conversation summary: I'm Alice and I sail.");
assert.equal(prompt.length, 6);
assert.equal(buffer.getContext({ user: "bob" }).summary, "I'm Bob.");

const restored = MessageBuffer.fromJSON(JSON.stringify(buffer));
const { hits } = await restored.search("rain on Tuesday", { user: "alice", k: 1 });
assert.equal(hits[0]?.text, "On Tuesday it rained.");
process.stdout.write(`${prompt.map(({ role, content }) => `${role}: ${content}`).join("\n")}\n`);
