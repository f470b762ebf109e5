// Processes that run `-p` on one agent at the same time and append to the same module.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { useDatabase } from "../support/database.ts";
import { runProgram } from "../support/program.ts";
import { wireAnswer } from "../support/wire-replies.ts";

const database = useDatabase({ isOwn: true });

/** A model that appends what the user says, once so many processes have asked; then it says that it has. */
async function createAppendingServer(size: number) {
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    if (request.method !== "POST") return void response.writeHead(404).end();
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: string }[] };
      const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
      const isAnswered = messages.some(({ role }) => role === "tool");
      const name = /Remember: (\w+)/u.exec(JSON.stringify(said))?.[1] ?? "nothing";
      const edit = { name: "core_memory_append", arguments: JSON.stringify({ name: "human", content: name }) };
      const answer = wireAnswer("chat", isAnswered ? { text: "Saved." } : { call: edit });
      const send = (): void => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const piece of answer.chunks) response.write(piece);
        response.end();
      };
      if (isAnswered) return send();
      waiting.push(send);
      if (waiting.length >= size) for (const release of waiting.splice(0)) release();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<unknown> => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}/v1`, close };
}

test("three simultaneous -p runs on one agent keep all their appends", async () => {
  const { connection } = database;
  const home = connection.kind === "embedded" ? connection.folder : "/tmp";
  const env = connection.kind === "server" ? { DATABASE_URL: connection.url } : {};
  const server = await createAppendingServer(3);
  const options = ["-m", "openai/meeting", "--base-url", server.url, "--embedding", "none", "--quiet"];
  const created = await runProgram(["agents", "add", "shared", ...options], { home, env });
  const facts = ["cat", "boat", "bread"];
  const runs = await Promise.all(
    facts.map((fact) => runProgram(["-p", `Remember: ${fact}`, "-a", "shared", ...options], { home, env })),
  );
  await server.close();
  const shown = await runProgram(["memory", "show", "-a", "shared", "--json"], { home, env });
  expect([created, ...runs].map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, ""]));
  const { value } = (JSON.parse(shown.stdout) as { label: string; value: string }[]).find(
    ({ label }) => label === "human",
  )!;
  expect(value.split("\n")).toEqual(expect.arrayContaining(facts));
});
