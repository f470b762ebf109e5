// Files in the bodies that go to each provider: what each takes, as it takes it, and a note where it does not.
import type { FilePart, ModelInput } from "../../../../src/base/message/file-part.ts";
import { anthropicFileRules } from "../../../../src/model/llm/anthropic/file-blocks.ts";
import { toAnthropicRequest } from "../../../../src/model/llm/anthropic/to-request.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { openaiFileRules } from "../../../../src/model/llm/openai/file-rules.ts";
import { toChatRequest } from "../../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../../src/model/llm/openai/to-responses-request.ts";
import { loadFiles } from "../../../../src/model/llm/wire/load-files.ts";
import type { Message } from "../../../../src/base/message/message.ts";
import { checkBody, type WireApi } from "../../../support/journal-checks.ts";
import { mp3, pdf, png, wav } from "../../../support/sample-files.ts";

const apis: readonly WireApi[] = ["anthropic", "responses", "chat"];
const all: readonly ModelInput[] = ["image", "pdf", "audio"];
let files = 0;

function fileOf(facts: Partial<FilePart>, data: Buffer): FilePart & { readonly data: Buffer } {
  files += 1;
  const location = { type: "attachment", id: `file ${files}` } as const;
  const base = { type: "file", location, kind: "image", mediaType: "image/png", name: "photo.png" } as const;
  return Object.assign({ ...base, bytes: data.length, ...facts }, { data });
}

const image = fileOf({ width: 10, height: 20 }, png(10, 20));
const document = fileOf({ kind: "document", mediaType: "application/pdf", name: "a.pdf", pages: 2 }, pdf(2));
const text = fileOf(
  { kind: "document", mediaType: "text/plain", name: "a.txt" },
  Buffer.from("\uFEFFzwölf 🙂 </human>"),
);
const sound = fileOf({ kind: "audio", mediaType: "audio/wav", name: "a.wav", seconds: 1 }, wav(1));
const music = fileOf({ kind: "audio", mediaType: "audio/mpeg", name: "a.mp3" }, mp3(2));
const movie = fileOf({ kind: "video", mediaType: "video/mp4", name: "a.mp4", seconds: 3.2 }, Buffer.from("x"));

const said = (...content: Message["content"]): Message => ({ role: "user", content });
const words = (value: string) => ({ type: "text", text: value }) as const;

function requestOf(messages: readonly Message[], change: Partial<ModelRequest> = {}): ModelRequest {
  const loadFile = async (file: FilePart): Promise<Buffer | null> => (file as { data?: Buffer }).data ?? null;
  return { system: { instructions: "", memory: "" }, messages, tools: [], maxOutputTokens: 100, loadFile, ...change };
}

/** The body for a request; every one is judged by the provider's rules. */
async function bodyOf(api: WireApi, request: ModelRequest, inputs = all): Promise<string> {
  const rules = api === "anthropic" ? anthropicFileRules(inputs) : openaiFileRules(api, inputs);
  const loaded = await loadFiles(request, rules);
  const options = { model: "m", origin: "o", files: loaded };
  const body =
    api === "anthropic"
      ? toAnthropicRequest(request, options)
      : api === "chat"
        ? toChatRequest(request, { ...options, limitField: "max_tokens", stateChannel: "joined" })
        : toResponsesRequest(request, options);
  expect(checkBody(api, JSON.parse(JSON.stringify(body)))).toEqual([]);
  return JSON.stringify(body);
}

const base64 = ({ data }: { readonly data: Buffer }): string => data.toString("base64");

describe("an image", () => {
  it("is an image block for Anthropic", async () => {
    const body = await bodyOf("anthropic", requestOf([said(words("look"), image)]));
    const source = { type: "base64", media_type: "image/png", data: base64(image) };
    expect(JSON.parse(body).messages[0].content).toEqual([
      words("look"),
      { type: "image", source, cache_control: { type: "ephemeral" } },
    ]);
  });

  it("is an input_image for Responses, and an image_url for Chat Completions", async () => {
    const request = requestOf([said(words("look"), image)]);
    const url = `data:image/png;base64,${base64(image)}`;
    expect(JSON.parse(await bodyOf("responses", request)).input[0].content).toEqual([
      { type: "input_text", text: "look" },
      { type: "input_image", detail: "auto", image_url: url },
    ]);
    expect(JSON.parse(await bodyOf("chat", request)).messages[0].content).toEqual([
      words("look"),
      { type: "image_url", image_url: { url } },
    ]);
  });

  it.each(apis)("without any text is a message for %s", async (api) => {
    expect(await bodyOf(api, requestOf([said(image)]))).toContain(base64(image));
  });

  it.each(apis)("that %s does not accept becomes a note", async (api) => {
    const bmp = fileOf({ mediaType: "image/bmp", name: "old.bmp", width: 3, height: 4 }, Buffer.alloc(2000, 1));
    const body = await bodyOf(api, requestOf([said(bmp)]));
    expect(body).toContain("[image old.bmp, 3×4, 2 KB: this model accepts JPEG, PNG, GIF and WebP, not image/bmp]");
  });

  it("is limited to Anthropic's maximum size", async () => {
    const heavy = fileOf({ width: 100, height: 100 }, Buffer.alloc(5_000_001, 1));
    const wide = fileOf({ width: 8001, height: 1 }, png(1, 1));
    const body = await bodyOf("anthropic", requestOf([said(heavy, wide)]));
    expect(body).toContain("this model accepts images up to 5 MB");
    expect(body).toContain("this model accepts at most 8000 pixels per side");
  });
});

describe("a PDF", () => {
  it.each(apis)("is a document with its name for %s", async (api) => {
    const body = await bodyOf(api, requestOf([said(words("read"), document)]));
    expect(body).toContain(base64(document));
    expect(body).toContain("a.pdf");
  });

  it("is limited to Anthropic's maximum pages", async () => {
    const long = fileOf({ ...document, pages: 101 }, document.data);
    expect(await bodyOf("anthropic", requestOf([said(long)]))).toContain("this model accepts at most 100 pages");
  });
});

describe("a text document", () => {
  it("is a document for Anthropic, without its byte order mark", async () => {
    const [block] = JSON.parse(await bodyOf("anthropic", requestOf([said(text)]))).messages[0].content;
    expect(block).toMatchObject({
      type: "document",
      title: "a.txt",
      source: { type: "text", media_type: "text/plain", data: "zwölf 🙂 </human>" },
    });
  });

  it.each(["responses", "chat"] as const)(
    "is delimited text for %s, whatever inputs the model accepts",
    async (api) => {
      const body = await bodyOf(api, requestOf([said(words("read"), text)]), []);
      expect(body).toContain(JSON.stringify("[file a.txt]\nzwölf 🙂 </human>\n[end of file a.txt]").slice(1, -1));
    },
  );

  it.each(apis)("of white space alone is a note for %s", async (api) => {
    const blank = fileOf({ ...text, name: "blank.txt" }, Buffer.from(" \n"));
    expect(await bodyOf(api, requestOf([said(blank)]))).toContain("it contains only white space");
  });
});

describe("audio and video", () => {
  it("are input_audio for Chat Completions if the model accepts audio", async () => {
    const { content } = JSON.parse(await bodyOf("chat", requestOf([said(sound, music)]))).messages[0];
    expect(content).toEqual([
      { type: "input_audio", input_audio: { data: base64(sound), format: "wav" } },
      { type: "input_audio", input_audio: { data: base64(music), format: "mp3" } },
    ]);
    expect(await bodyOf("chat", requestOf([said(sound)]), ["image"])).toContain("this model does not accept it");
  });

  it.each(["anthropic", "responses"] as const)("are notes for %s", async (api) => {
    const body = await bodyOf(api, requestOf([said(sound, movie)]));
    expect(body).toContain("[audio a.wav, 1 s, 8 KB: this model does not accept it]");
    expect(body).toContain("[video a.mp4, 3 s, 1 B: this model does not accept it]");
  });
});

describe("a file at a URL", () => {
  const linked = (mediaType: string, kind: FilePart["kind"]): FilePart => ({
    type: "file",
    kind,
    mediaType,
    name: "x",
    bytes: null,
    location: { type: "url", url: "https://example.com/x" },
  });

  it.each(apis)("is passed on by reference if %s fetches it", async (api) => {
    const body = await bodyOf(api, requestOf([said(linked("image/png", "image"))]));
    expect(body).toContain('"https://example.com/x"');
    const page = await bodyOf(api, requestOf([said(linked("application/pdf", "document"))]));
    expect(page.includes('"https://example.com/x"')).toBe(api !== "chat");
  });

  it.each(apis)("is a note if %s does not", async (api) => {
    const body = await bodyOf(
      api,
      requestOf([said(linked("application/zip", "custom"), linked("text/plain", "document"))]),
    );
    expect(body.split("this model does not accept it")).toHaveLength(3);
  });
});

describe("a tool's result with files", () => {
  const call = { type: "tool-call", callId: "c1", name: "draw", arguments: "{}" } as const;
  const result = { type: "tool-result", callId: "c1", name: "draw", status: "ok", text: "Drawn." } as const;
  const history = (part: Message["content"][number]): readonly Message[] => [
    said(words("draw")),
    { role: "assistant", content: [call] },
    { role: "tool", content: [part] },
  ];

  it.each(apis)("shows them to the model of %s", async (api) => {
    const body = await bodyOf(api, requestOf(history({ ...result, files: [image, movie] })));
    expect(body).toContain(base64(image));
    expect(body).toContain("[video a.mp4, 3 s, 1 B: this model does not accept it]");
    expect(body).toContain("Drawn.");
  });

  it("has them in the result itself, except for Chat Completions, where they follow it", async () => {
    const request = requestOf(history({ ...result, files: [image] }));
    const [, , { content }] = JSON.parse(await bodyOf("anthropic", request)).messages;
    expect(content[0].content.map((block: { readonly type: string }) => block.type)).toEqual(["text", "image"]);
    const output = JSON.parse(await bodyOf("responses", request)).input.at(-1);
    expect(output.output.map((part: { readonly type: string }) => part.type)).toEqual(["input_text", "input_image"]);
    const last = JSON.parse(await bodyOf("chat", request)).messages.slice(-2);
    expect(last.map(({ role }: { readonly role: string }) => role)).toEqual(["tool", "user"]);
    expect(last[1].content[0]).toEqual(words("[draw returned:]"));
  });

  it.each(apis)("without files does not change for %s", async (api) => {
    const withNone = await bodyOf(api, requestOf(history({ ...result, files: [] })));
    expect(withNone).toBe(await bodyOf(api, requestOf(history(result))));
  });
});

describe("a file that cannot be sent", () => {
  it.each(apis)(
    "is a note when the request for %s has too many or too large files; the newest are sent",
    async (api) => {
      const many = Array.from({ length: 102 }, (_, at) => fileOf({ name: `${at}.png` }, png(1, 1)));
      const body = await bodyOf(api, requestOf(many.map((file) => said(file))));
      expect(body).toContain("[image 0.png");
      expect(body).not.toContain("[image 101.png");
      const huge = fileOf(
        { kind: "document", mediaType: "application/pdf", name: "old.pdf" },
        Buffer.alloc(30_000_000, 1),
      );
      const newer = fileOf(
        { kind: "document", mediaType: "application/pdf", name: "new.pdf" },
        Buffer.alloc(9_000_000, 1),
      );
      const room = await bodyOf(api, requestOf([said(huge), said(newer)]));
      expect(room).toContain("[PDF old.pdf, 30 MB: left out: the request would be too large with it]");
      expect(room).not.toContain("[PDF new.pdf");
    },
  );

  it.each(apis)("is a note for %s if its content was deleted", async (api) => {
    const body = await bodyOf(api, requestOf([said(image)], { loadFile: async () => null }));
    expect(body).toContain("its content is not available");
  });

  it.each(apis)("is a note for %s if files are not loaded", async (api) => {
    const { loadFile: _none, ...request } = requestOf([said(image)]);
    expect(await bodyOf(api, request)).toContain("[image photo.png, 10×20");
  });

  it("is an error if its content cannot be read", async () => {
    const loadFile = async (): Promise<never> => {
      throw new Error("the store is closed");
    };
    await expect(bodyOf("chat", requestOf([said(image)], { loadFile }))).rejects.toThrow("the store is closed");
  });
});

test.each(apis)(
  "a model of %s without file inputs gets a note for every file, and nothing is loaded for it",
  async (api) => {
    const loaded: string[] = [];
    const loadFile = async (file: FilePart): Promise<null> => (loaded.push(file.name), null);
    const body = await bodyOf(api, requestOf([said(words("look"), image, document)], { loadFile }), []);
    expect(body).toContain("[image photo.png, 10×20");
    expect(body).toContain("[PDF a.pdf, 2 pages");
    expect(loaded).toEqual([]);
  },
);
