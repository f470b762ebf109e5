// A server of one model on loopback, as compatible servers are, for the smoke test of the first start. It prints its port, and
// takes one key: sk-right.
import { createServer } from "node:http";

const piece = (delta, finish) => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "tiny", choices })}\n\n`;
};

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    if (!request.url.startsWith("/v1/")) return response.writeHead(404).end();
    if (request.headers.authorization !== "Bearer sk-right") return response.writeHead(401).end();
    if (request.url === "/v1/models") return response.end(JSON.stringify({ data: [{ id: "tiny" }] }));
    response.setHeader("content-type", "text/event-stream");
    return response.end(
      `${piece({ role: "assistant", content: "Hello from tiny." }, null)}${piece({}, "stop")}data: [DONE]\n\n`,
    );
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
