// Files of messages through `/api`: sent, stored, downloaded as what no browser runs, and refused when they are damaged.
import { askedModel } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const served = useScene(() => serveTestHost({ model: "asked", models: [askedModel] }));
let conversation: string;

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

beforeAll(async () => {
  await served.host.forUser("ada").agents.create({ name: "main", persona: "", human: "" });
  ({ conversationId: conversation } = await served.host.forUser("ada").agents.open("main"));
});

interface SentFile {
  readonly url: string;
  readonly name?: string;
  readonly mediaType?: string;
}

const inBase64 = (data: string | Buffer, mediaType = "application/octet-stream") =>
  `data:${mediaType};base64,${Buffer.from(data).toString("base64")}`;

function ask(path: string, sent: RequestInit = {}, secret = served.key): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(`${served.url}/api${path}`, { headers, ...sent });
}

async function send(files: readonly SentFile[], text = "") {
  const body = JSON.stringify({ messages: [{ text, files }] });
  const response = await ask(`/agents/main/conversations/${conversation}/turns`, { method: "POST", body });
  return { status: response.status, sent: (await response.json()) as Readonly<Record<string, string>> };
}

/** Sends a file, and returns where it can be downloaded. */
async function stored(file: SentFile): Promise<string> {
  const { status, sent } = await send([file]);
  expect({ status, sent }).toMatchObject({ status: 202 });
  const agent = await served.host.forUser("ada").agents.open("main", { conversation: { id: conversation } });
  for await (const event of agent.events(sent["turnId"]!)) void event;
  const { messages } = await served.host.forUser("ada").conversations.messages(conversation);
  const part = messages.flatMap(({ content }) => content).findLast(({ type }) => type === "file");
  if (part?.type !== "file" || part.location.type !== "attachment") throw new Error("The file was not stored.");
  return `/agents/main/conversations/${conversation}/files/${part.location.id}`;
}

test("a picture is downloaded as it was sent", async () => {
  const response = await ask(await stored({ url: inBase64(picture), name: "dot.png" }));
  expect(Buffer.from(await response.arrayBuffer())).toEqual(picture);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "content-disposition": "attachment; filename*=UTF-8''dot.png",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  });
});

test.each([
  ["page.html", "<!doctype html><script>alert(1)</script>", "text/html", "text/plain; charset=utf-8"],
  ["notes.txt", "Low water at 9.", "text/plain", "text/plain; charset=utf-8"],
  [
    "drawing.svg",
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "image/svg+xml",
    /^(?:application\/octet-stream|text\/plain; charset=utf-8)$/u,
  ],
  ["raw.bin", "\0\u0001\u0002", "application/octet-stream", "application/octet-stream"],
])("%s is sent as a type that no browser runs", async (name, content, mediaType, expected) => {
  const response = await ask(await stored({ url: inBase64(content, mediaType), name, mediaType }));
  expect(await response.text()).toBe(content);
  expect(response.headers.get("content-type")).toMatch(expected);
});

test("a name with quotes, line ends and other scripts is one parameter of the header", async () => {
  const path = await stored({ url: inBase64("x", "text/plain"), name: "a\"; b='c' (日本).txt" });
  const header = (await ask(path)).headers.get("content-disposition") ?? "";
  expect(header).toMatch(/^attachment; filename\*=UTF-8''[\w.%~-]+$/u);
  expect(decodeURIComponent(header.split("''")[1]!)).toContain("日本");
});

test("a file of another conversation, and of another user, is not found", async () => {
  const path = await stored({ url: inBase64("secret of ada", "text/plain"), name: "secret.txt" });
  const { conversationId: other } = await served.host.forUser("ada").agents.open("main", { conversation: "new" });
  const moved = await ask(path.replace(conversation, other));
  expect([moved.status, await moved.json()]).toMatchObject([404, { code: "attachment_not_found" }]);
  const { secret } = await served.host.keys.create("ben", { scope: "admin" });
  const foreign = await ask(path, {}, secret);
  expect(foreign.status).toBe(404);
  expect(await foreign.text()).not.toContain("secret of ada");
});

test.each([
  ["base64 with a character that it does not have", { url: "data:text/plain;base64,SGVs*bG8=" }, 400],
  ["a path of the server", { path: "/etc/hostname" } as unknown as SentFile, 400],
  ["an address of no file", { url: "file:///etc/hostname" }, 400],
])("%s is refused, and nothing is stored", async (_name, file, expected) => {
  const before = (await served.host.forUser("ada").conversations.messages(conversation)).messages.length;
  const { status, sent } = await send([file], "SAY hello");
  expect({ status, sent }).toMatchObject({ status: expected, sent: { detail: expect.any(String) } });
  expect((await served.host.forUser("ada").conversations.messages(conversation)).messages).toHaveLength(before);
});

test("a message without text and files is refused", async () => {
  expect(await send([], " ")).toMatchObject({ status: 400, sent: { code: "input_invalid" } });
});
