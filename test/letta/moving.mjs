// Moves agents by Letta's TypeScript client, as docs/from-letta.md shows: writes what the server of LETTA_BASE_URL has into the
// current folder, and talks with the agent "scout". `.ci/letta.sh` runs it.
// region export
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import Letta from "@letta-ai/letta-client";

const source = new Letta(); // reads LETTA_API_KEY, and LETTA_BASE_URL if it is not Letta's cloud
for await (const agent of source.agents.list()) {
  const file = await source.agents.exportFile(agent.id);
  writeFileSync(`${agent.name}.af`, typeof file === "string" ? file : JSON.stringify(file));
  const lines = [];
  let page = await source.agents.passages.list(agent.id, { limit: 100, ascending: true });
  while (page.length > 0) {
    for (const { text, tags } of page) lines.push(`${JSON.stringify({ text, tags: tags ?? [] })}\n`);
    page = await source.agents.passages.list(agent.id, { limit: 100, ascending: true, after: page.at(-1).id });
  }
  writeFileSync(`${agent.name}.jsonl`, lines.join(""));
}
// endregion

// region client
const apiKey = readFileSync(`${homedir()}/.palimpsest/server-key`, "utf8").trim();
const client = new Letta({ baseURL: "http://127.0.0.1:8283", apiKey });
for await (const { id, name } of client.agents.list()) {
  if (name !== "scout") continue;
  const reply = await client.agents.messages.create(id, { messages: [{ role: "user", content: "SAY hi" }] });
  console.log(reply.messages.at(-1).content);
}
// endregion
