// An endpoint with the Chat Completions API on loopback, scripted by the newest text of the user: node scripted-model.mjs PORT
//   CALL name {json}           one call of that tool, and after its result "Done: " with the result's beginning
//   TWICE name {json} {json}   two calls of one tool in one reply, and then text
//   LOOP name {json}           that call in every reply
//   SAY text                   that text
//   ECHO-SYSTEM                the system prompt
//   COUNT                      numbers of messages and the names of the tools
//   SLOW n                     n words, 100 ms apart
//   FAIL n                     the HTTP status n
//   LENGTH                     a text that is cut
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(" ");

/** The complete JSON objects at the beginning of a text. */
function objectsIn(text) {
  const found = [];
  let start = text.indexOf("{");
  for (let end = start + 1; start >= 0 && end <= text.length; end += 1) {
    const piece = text.slice(start, end);
    if (!piece.endsWith("}") || !isJson(piece)) continue;
    found.push(piece);
    start = text.indexOf("{", end);
    end = start + 1;
  }
  return found;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What each word does, in this order: a reply's `text` or `calls`, or a `status`. */
const words = [
  [/LOOP (\w+) (\{[\s\S]*)/u, ([, name, rest]) => ({ calls: [{ name, arguments: objectsIn(rest)[0] }] })],
  [
    /CALL (\w+) (\{[\s\S]*)/u,
    ([, name, rest], { results }) =>
      results.length > 0
        ? { text: `Done: ${textOf(results.at(-1).content).slice(0, 60)}` }
        : { calls: [{ name, arguments: objectsIn(rest)[0] }] },
  ],
  [
    /TWICE (\w+) (\{[\s\S]*)/u,
    ([, name, rest], { results }) =>
      results.length > 0
        ? { text: "Done twice." }
        : { calls: objectsIn(rest).map((json) => ({ name, arguments: json })) },
  ],
  [/SAY ([\s\S]+)/u, ([, text]) => ({ text: text.trim() })],
  [
    /ECHO-SYSTEM/u,
    (_, { messages }) => ({
      text: messages
        .filter(({ role }) => role === "system" || role === "developer")
        .map(({ content }) => textOf(content))
        .join("\n"),
    }),
  ],
  [
    /COUNT/u,
    (_, { messages, tools }) => ({
      text: `messages=${messages.length} user=${messages.filter(({ role }) => role === "user").length} tools=${tools.toSorted().join(",")}`,
    }),
  ],
  [
    /SLOW (\d+)/u,
    ([, count]) => ({ text: Array.from({ length: Number(count) }, (_, index) => `w${index}`).join(" "), waitMs: 100 }),
  ],
  [/FAIL (\d+)/u, ([, status]) => ({ status: Number(status) })],
  [/LENGTH/u, () => ({ text: "This answer is cut", finish: "length" })],
];

function replyTo({ messages, tools = [] }) {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const text = asked < 0 ? "" : textOf(messages[asked].content);
  const request = {
    messages,
    tools: tools.map((tool) => tool.function.name),
    results: messages.slice(asked + 1).filter(({ role }) => role === "tool"),
  };
  const found = words.find(([form]) => form.test(text));
  return found === undefined ? { text: "Hello from the model." } : found[1](found[0].exec(text), request);
}

async function answer(response, { number, body }) {
  const reply = replyTo(body);
  if (reply.status !== undefined) return sendJson(response, reply.status, { error: { message: "The model failed." } });
  const calls = reply.calls?.map(({ name, arguments: json }, index) => ({
    id: `call_${number}_${index}`,
    type: "function",
    function: { name, arguments: json },
  }));
  const finish = reply.finish ?? (calls === undefined ? "stop" : "tool_calls");
  const size = Math.ceil(JSON.stringify(body).length / 4);
  const usage = { prompt_tokens: size, completion_tokens: 5, total_tokens: size + 5 };
  const base = { id: `chatcmpl-${number}`, created: 1, model: body.model };
  const part = { base, reply, calls, finish, usage };
  return body.stream ? stream(response, body, part) : whole(response, part);
}

async function whole(response, { base, reply, calls, finish, usage }) {
  await sleep((reply.waitMs ?? 0) * (reply.text ?? "").split(" ").length);
  const message =
    calls === undefined
      ? { role: "assistant", content: reply.text }
      : { role: "assistant", content: null, tool_calls: calls };
  const choices = [{ index: 0, finish_reason: finish, logprobs: null, message }];
  sendJson(response, 200, { ...base, object: "chat.completion", choices, usage });
}

async function stream(response, body, { base, reply, calls, finish, usage }) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const chunk = (choices, more = {}) => send({ ...base, object: "chat.completion.chunk", choices, ...more });
  const delta = (change, reason = null) => chunk([{ index: 0, delta: change, finish_reason: reason, logprobs: null }]);
  delta({ role: "assistant", content: calls === undefined ? "" : null });
  for (const [index, call] of (calls ?? []).entries()) {
    delta({
      tool_calls: [{ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }],
    });
    for (const piece of call.function.arguments.match(/[\s\S]{1,12}/gu) ?? [])
      delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  for (const word of (reply.text ?? "").match(/\S+\s*/gu) ?? []) {
    delta({ content: word });
    if (reply.waitMs !== undefined) await sleep(reply.waitMs);
  }
  delta({}, finish);
  if (body.stream_options?.include_usage) chunk([], { usage });
  response.end("data: [DONE]\n\n");
}

function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const models = { object: "list", data: [{ id: "gpt-4o-mini", object: "model", created: 1, owned_by: "test" }] };
let requests = 0;

async function handle(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url.endsWith("/models")) return sendJson(response, 200, models);
  if (!request.url.endsWith("/chat/completions")) return sendJson(response, 404, { error: { message: "not found" } });
  requests += 1;
  return answer(response, { number: requests, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
}

createServer((request, response) => {
  handle(request, response).catch((error) => response.destroy(error));
}).listen(Number(process.argv[2]), "127.0.0.1");
