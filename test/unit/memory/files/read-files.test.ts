// Attaching files: valid ones of each kind, and all errors.
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateSync } from "node:zlib";
import { readFiles } from "../../../../src/memory/files/read-files.ts";
import type { FileInput } from "../../../../src/base/message/file-part.ts";
import { gif, jpeg, mp3, mp4, pdf, png, wav, webp } from "../../../support/sample-files.ts";
import { useFolder } from "../../../support/folders.ts";

const folder = useFolder();
const limits = { fileBytes: 1_000_000, messageBytes: 1_500_000 };

function file(name: string, content: Buffer | string): string {
  const at = path.join(folder, name);
  writeFileSync(at, content);
  return at;
}

async function factsOf(input: FileInput) {
  const [read] = await readFiles([input], limits);
  return read!.facts;
}

const failure = (input: FileInput) => readFiles([input], limits);

describe("a file's kind is detected from its content", () => {
  it.each([
    ["a.png", png(10, 20), { kind: "image", mediaType: "image/png", width: 10, height: 20 }],
    ["a.jpg", jpeg(640, 480), { kind: "image", mediaType: "image/jpeg", width: 640, height: 480 }],
    ["lying.jpg", jpeg(640, 480, 6), { kind: "image", mediaType: "image/jpeg", width: 480, height: 640 }],
    ["a.gif", gif(3, 4), { kind: "image", mediaType: "image/gif", width: 3, height: 4 }],
    ["a.webp", webp(1200, 5), { kind: "image", mediaType: "image/webp", width: 1200, height: 5 }],
    ["a.pdf", pdf(3), { kind: "document", mediaType: "application/pdf", pages: 3 }],
    ["b.pdf", pdf(12, { compressed: true }), { kind: "document", mediaType: "application/pdf", pages: 12 }],
    ["a.wav", wav(2.5), { kind: "audio", mediaType: "audio/wav", seconds: 2.5 }],
    ["a.mp3", mp3(100), { kind: "audio", mediaType: "audio/mpeg", seconds: 2.6 }],
    ["a.mp4", mp4(7), { kind: "video", mediaType: "video/mp4", seconds: 7 }],
    ["a.txt", "hello", { kind: "document", mediaType: "text/plain" }],
    ["a.md", "# 見出し 🙂", { kind: "document", mediaType: "text/markdown" }],
    ["a.csv", "a;b\r\n", { kind: "document", mediaType: "text/csv" }],
    ["Makefile", "all:\n\ttrue\n", { kind: "document", mediaType: "text/plain" }],
    ["bm.txt", "BM is how a bitmap begins", { kind: "document", mediaType: "text/plain" }],
    ["a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", { kind: "document", mediaType: "text/plain" }],
    ["blank.txt", " \n", { kind: "document", mediaType: "text/plain" }],
    ["long.txt", "a".repeat(1e6), { kind: "document", mediaType: "text/plain" }],
    ["a.bin", Buffer.from([0, 1, 2, 255]), { kind: "custom", mediaType: "application/octet-stream" }],
    ["a.gz", Buffer.from("1f8b0800000000000003", "hex"), { kind: "custom", mediaType: "application/gzip" }],
  ] as const)("%s", async (name, content, expected) => {
    const at = file(name, content);
    const bytes = Buffer.byteLength(content);
    expect(await factsOf({ path: at })).toEqual({ name, bytes, ...expected });
  });

  it("and not from its name, if the content differs", async () => {
    expect(await factsOf({ path: file("really-a.png", pdf(1)) })).toMatchObject({
      mediaType: "application/pdf",
      pages: 1,
    });
    expect(await factsOf({ path: file("photo.pdf", png(1, 1)) })).toMatchObject({ mediaType: "image/png" });
    expect(await factsOf({ path: file("noname", png(1, 1)) })).toMatchObject({ kind: "image" });
  });

  it("through a link", async () => {
    const link = path.join(folder, "link.png");
    symlinkSync(file("target.png", png(2, 2)), link);
    expect(await factsOf({ path: link })).toMatchObject({ name: "link.png", width: 2 });
  });

  it("from memory, with the program's type if it is possible", async () => {
    expect(await factsOf({ data: png(1, 2), name: "x", mediaType: "IMAGE/PNG; q=1" })).toMatchObject({ width: 1 });
    expect(await factsOf({ data: Buffer.from("{}"), name: "x", mediaType: "application/json" })).toMatchObject({
      mediaType: "text/plain",
    });
    expect(await factsOf({ data: wav(1), name: "x", mediaType: "audio/x-wav" })).toMatchObject({ kind: "audio" });
    expect(await factsOf({ data: Buffer.from([0, 9]), name: "x", mediaType: "application/vnd.mine" })).toMatchObject({
      kind: "custom",
    });
  });
});

describe("unknown pages and seconds are left out", () => {
  it.each([
    ["a PDF without page objects", "x.pdf", Buffer.from("%PDF-1.7\n\u0000")],
    ["a PDF whose object stream is damaged", "y.pdf", Buffer.from("%PDF-1.7\n\u0000<< /Type /ObjStm >>\nstream\nxxxx")],
    ["a WAV without a data chunk", "x.wav", wav(1).subarray(0, 36)],
    ["an MP4 that is cut off", "x.mp4", mp4(1).subarray(0, 50)],
  ])("%s", async (_what, name, content) => {
    expect(Object.keys(await factsOf({ path: file(name, content) })).toSorted()).toEqual(
      ["bytes", "kind", "mediaType", "name"].toSorted(),
    );
  });

  it("without unlimited decompression", async () => {
    const stream = deflateSync(Buffer.concat([Buffer.alloc(70_000_000), Buffer.from("<< /Type /Page >>")]));
    const head = "%PDF-1.5\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n";
    const bomb = Buffer.concat([Buffer.from(head), stream, Buffer.from("\nendstream")]);
    expect(bomb.length).toBeLessThan(100_000);
    expect(await factsOf({ data: bomb, name: "b.pdf" })).not.toHaveProperty("pages");
  });
});

describe("a name", () => {
  it.each([
    ["写真 🙂.txt", "写真 🙂.txt"],
    ["a\nb\u0000c\u001b[31m.txt", "a\uFFFDb\uFFFDc\uFFFD[31m.txt"],
    ["\u202egnp.exe", "\uFFFDgnp.exe"],
    ["\ud800.txt", "\uFFFD.txt"],
    ["   ", "file"],
    ["", "file"],
    ["</human>%_'\"", "</human>%_'\""],
    [`${"x".repeat(1e6)}.txt`, `${"x".repeat(250)}….txt`],
  ])("%j is shown as one line without control characters", async (name, shown) => {
    expect((await factsOf({ data: Buffer.from("x"), name })).name).toBe(shown);
  });
});

describe("a file that cannot be attached is refused, and named", () => {
  it.each([
    ["that is not there", () => path.join(folder, "none.png"), /none\.png cannot be attached: there is no such file/],
    ["that is a folder", () => folder, /it is a folder/],
    ["below a file", () => path.join(file("plain", "x"), "y"), /a part of its path is not a folder/],
    ["that is empty", () => file("empty.txt", ""), /it is empty/],
    ["with a NUL in its path", () => "a\u0000b", /NUL/],
    ["with a path that is too long", () => "x".repeat(1e6), /its path is too long/],
    ["with an empty path", () => "", /there is no such file/],
  ])("a file %s", async (_what, make, message) => {
    await expect(failure({ path: make() })).rejects.toMatchObject({ code: "file_unreadable" });
    await expect(failure({ path: make() })).rejects.toThrow(message);
  });

  it("links that lead in a circle", async () => {
    const [one, other] = [path.join(folder, "one"), path.join(folder, "other")];
    symlinkSync(one, other);
    symlinkSync(other, one);
    await expect(failure({ path: one })).rejects.toThrow("its links form a cycle");
  });

  it("a device, which has no end", async () => {
    await expect(failure({ path: "/dev/zero" })).rejects.toThrow("it is not a regular file");
  });

  // The superuser may read everything.
  const itForOthers = process.getuid?.() === 0 ? it.failing : it;
  itForOthers("a file that may not be read", async () => {
    const at = file("secret.txt", "x");
    chmodSync(at, 0);
    await expect(failure({ path: at })).rejects.toThrow("permission denied");
  });

  it.each([
    ["a PNG that is cut off", "cut.png", png(50, 50).subarray(0, -20)],
    ["a JPEG that is cut off", "cut.jpg", jpeg(9, 9).subarray(0, -2)],
    ["a JPEG with a preview that is cut off", "cut2.jpg", Buffer.concat([jpeg(1, 1), jpeg(9, 9).subarray(0, -2)])],
    ["a GIF that is cut off", "cut.gif", gif(9, 9).subarray(0, 13)],
    ["a WebP that is cut off", "cut.webp", webp(9, 9).subarray(0, -3)],
    ["a PNG without a size", "none.png", png(0, 0)],
  ])("%s", async (_what, name, content) => {
    await expect(failure({ path: file(name, content) })).rejects.toMatchObject({ code: "file_invalid" });
    await expect(failure({ path: file(name, content) })).rejects.toThrow(/damaged image/);
  });

  it.each([
    ["a text that is called an image", "text.png", Buffer.from("just words")],
    ["noise that is called an image", "noise.jpg", Buffer.from([0, 1, 2, 3])],
    ["noise that is called a PDF", "noise.pdf", Buffer.from([0, 1, 2, 3])],
  ])("%s", async (_what, name, content) => {
    await expect(failure({ path: file(name, content) })).rejects.toThrow(/: expected (image|application)\/.*got /);
  });

  it.each([
    ["another type than it has", png(1, 1), "image/jpeg", /expected image\/jpeg, got image\/png/],
    ["an image that is a text", Buffer.from("x"), "image/png", /got text\/plain/],
    ["a PDF that is noise", Buffer.from([0]), "application/pdf", /content of another type, or damaged content/],
  ])("data that is declared as %s", async (_what, data, mediaType, message) => {
    await expect(failure({ data, name: "x", mediaType })).rejects.toThrow(message);
  });

  it("data without bytes", async () => {
    const input = { data: "text", name: "x" } as unknown as FileInput;
    await expect(failure(input)).rejects.toThrow("expected `data` to be a Uint8Array, got string");
  });

  it("a file over the limit, without reading it, but not one of exactly the limit", async () => {
    const at = file("exact.bin", Buffer.alloc(1_000_000));
    expect(await factsOf({ path: at })).toMatchObject({ bytes: 1_000_000 });
    const over = readFiles([{ path: file("over.bin", Buffer.alloc(1_000_001)) }], limits);
    await expect(over).rejects.toMatchObject({ code: "file_too_large" });
    await expect(over).rejects.toThrow("over.bin has 1.0 MB, and the maximum is 1.0 MB");
  });

  it("files over the limit of a message", async () => {
    const at = file("half.bin", Buffer.alloc(800_000));
    const both = readFiles([{ path: at }, { path: at }], limits);
    await expect(both).rejects.toThrow("exceed the maximum of 1.5 MB");
  });
});

describe("a file at a URL", () => {
  it.each([
    ["https://example.com/a/photo.png?x=1", { kind: "image", mediaType: "image/png", name: "photo.png" }],
    ["https://example.com/a%20b.pdf", { kind: "document", mediaType: "application/pdf", name: "a b.pdf" }],
    ["https://example.com/%E0%A4%A", { kind: "custom", name: "%E0%A4%A" }],
    ["https://example.com/", { kind: "custom", name: "example.com" }],
  ])("%s is not fetched, and known only by its URL", async (url, expected) => {
    expect(await factsOf({ url })).toMatchObject({ bytes: null, ...expected });
  });

  it.each([
    "",
    "photo.png",
    "ftp://example.com/a",
    "http://example.com/a.png",
    "https://user:password@example.com/a.png",
    "data:image/png;base64,AAAA",
    "file:///etc/passwd",
    "javascript:1",
    `https://x/${"a".repeat(1e6)}`,
  ])("%.40j is refused", async (url) => {
    await expect(failure({ url })).rejects.toMatchObject({ code: "file_invalid" });
  });
});
