// A node memory's key and its JSON: the examples of Dify's document, spelled out, and what is no such thing.
import { gzipSync } from "node:zlib";
import {
  nodeBytes,
  nodeJson,
  nodeKeyText,
  type NodeMessage,
  parseNodeJson,
  readNodeBytes,
  requireNodeKey,
} from "../../../src/memory/node/node-format.ts";
import { nodeExample as example } from "../../support/node-example.ts";

const key = "node_memory/app/conv/llm.json";

const messages = parseNodeJson(example, key);

function changed(change: (json: { version: unknown; messages: Record<string, unknown>[] }) => void): string {
  const json = JSON.parse(example) as Parameters<typeof change>[0];
  change(json);
  return JSON.stringify(json);
}

describe("the key", () => {
  it("is node_memory/{app}/{conversation}/{node}.json", () => {
    const parts = { app: "app-1", conversation: "conv-1", node: "llm_2.x" };
    expect(nodeKeyText(requireNodeKey(parts))).toBe("node_memory/app-1/conv-1/llm_2.x.json");
  });

  it.each(["", ".", "..", "../x", "a/b", "a\\b", "%2e%2e", ".hidden", "a b", "a:b", "a\u0000", "写", "🙂", "\ud800"])(
    "has no part %j",
    (part) => {
      const good = { app: "a", conversation: "c", node: "n" };
      for (const name of ["app", "conversation", "node"]) {
        expect(() => requireNodeKey({ ...good, [name]: part })).toThrow(`Expected \`${name}\` of a node memory`);
      }
    },
  );

  it("has parts of at most 64 characters, and an error clips a longer one", () => {
    const good = { app: "a".repeat(64), conversation: "c", node: "n" };
    expect(requireNodeKey(good)).toEqual(good);
    const refuse = () => requireNodeKey({ ...good, node: "n".repeat(1e6) });
    expect(refuse).toThrow(/got "n{64}…"\.$/u);
    expect(() => requireNodeKey({ ...good, node: "n".repeat(65) })).toThrow("1 to 64");
    expect(() => requireNodeKey({ ...good, node: undefined as unknown as string })).toThrow("got undefined");
  });
});

describe("format version 1", () => {
  it("is read and written as in the example", () => {
    expect(JSON.parse(nodeJson(messages))).toEqual(JSON.parse(example));
    expect(nodeJson(messages)).toBe(JSON.stringify(JSON.parse(example)));
  });

  it("has references of the three kinds, with null for fields that do not apply", () => {
    const files = [
      {
        type: "document",
        transfer_method: "tool_file",
        upload_file_id: null,
        tool_file_id: "t",
        url: null,
        belongs_to: "assistant",
      },
      { type: "audio", transfer_method: "remote_url", url: "https://host/a.mp3", belongs_to: "user" },
    ];
    const text = changed((json) => (json.messages[1]!["files"] = files));
    expect(parseNodeJson(text, key)[1]!.files).toEqual(files);
  });

  it.each(["", "👩‍👩‍👧 写真", "a".repeat(1e6), '</human> %_ " \\ \n', "\u0000", "\ud800 alone"])(
    "keeps the text %#",
    (content) => {
      const written = [{ ...messages[0]!, content }];
      expect(parseNodeJson(nodeJson(written), key)).toEqual(written);
    },
  );

  it.each([
    ["a newer version", changed((json) => (json.version = 2)), "a newer version of Palimpsest wrote it (format 2;"],
    ["no version", changed((json) => (json.version = undefined)), "at `version`"],
    ["a version of another kind", changed((json) => (json.version = "1")), "at `version`"],
    [
      "an unknown field, which writing it again would lose",
      changed((json) => (json.messages[0]!["mood"] = "x")),
      "mood",
    ],
    ["a role of another kind", changed((json) => (json.messages[0]!["role"] = "tool")), "at `messages.0.role`"],
    ["a missing text", changed((json) => (json.messages[1]!["content"] = null)), "at `messages.1.content`"],
    ["a time that is none", changed((json) => (json.messages[1]!["created_at"] = "now")), "at `messages.1.created_at`"],
    ["tokens that are none", changed((json) => (json.messages[1]!["token_count"] = -1)), "at `messages.1.token_count`"],
    [
      "an id twice",
      changed((json) => (json.messages[1]!["message_id"] = "msg-001")),
      "it contains a `message_id` twice",
    ],
    [
      "a reference without its id",
      example.replace('"upload_file_id": "file-uuid-123",', ""),
      "at `messages.0.files.0`",
    ],
    ["half an object", example.slice(0, 200), "it is not JSON, but a text of 200 UTF-16 units"],
    ["nothing", "", "it is not JSON"],
    ["something else", "[]", "its JSON has the wrong form ("],
  ])("is not %s: the error names the key", (_what, text, told) => {
    const read = () => parseNodeJson(text, key);
    expect(read).toThrow(`The node memory ${key} cannot be read`);
    expect(read).toThrow(told);
    expect(read).not.toThrow("landscape");
  });
});

describe("the bytes", () => {
  const long: readonly NodeMessage[] = [{ ...messages[0]!, content: "写".repeat(40_000) }];

  it("are JSON up to a size, and gzip above it; a reader distinguishes them by their first bytes", async () => {
    const plain = Buffer.from(nodeJson(long), "utf8");
    expect(Buffer.from(await nodeBytes(long, plain.length))).toEqual(plain);
    const packed = await nodeBytes(long, plain.length - 1);
    expect([packed[0], packed[1]]).toEqual([0x1f, 0x8b]);
    expect(packed.length).toBeLessThan(plain.length / 10);
    expect(await readNodeBytes(packed, key)).toEqual(long);
    expect(await readNodeBytes(plain, key)).toEqual(long);
  });

  it("are refused above 256 MiB before they are decompressed", async () => {
    const mebibyte = gzipSync(Buffer.alloc(1_048_576, " "));
    const bomb = Buffer.concat(Array.from({ length: 300 }, () => mebibyte));
    expect(bomb.length).toBeLessThan(400_000);
    await expect(readNodeBytes(bomb, key)).rejects.toThrow("its gzip data is damaged or too large");
  });

  it.each([
    ["cut gzip", async () => (await nodeBytes(long, 0)).subarray(0, 60), "its gzip data is damaged or too large"],
    ["bytes that are not UTF-8", async () => Buffer.from([0x7b, 0xff]), "it is not UTF-8"],
    ["no bytes", async () => Buffer.alloc(0), "it is not JSON"],
  ])("are refused when they are %s", async (_what, make, told) => {
    const message = expect.stringContaining(told) as string;
    await expect(readNodeBytes(await make(), key)).rejects.toMatchObject({ code: "node_memory_invalid", message });
  });
});
