// What is known of a GGUF file before it is loaded, and what is wrong with it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../../../src/base/errors.ts";
import { contextSizeOf, readGgufFile } from "../../../../../src/model/llm/gguf/gguf-file.ts";
import { ggufBytes, smallModel } from "../../../../support/gguf-bytes.ts";
import { useFolder } from "../../../../support/folders.ts";

const folder = useFolder();

function write(bytes: Uint8Array, name = "model.gguf"): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe("readGgufFile", () => {
  it("reads the trained length and the memory per token of context", () => {
    const bytes = ggufBytes();
    // 2 layers, 2 heads, 4 numbers of a key and 4 of a value, 2 bytes each.
    expect(readGgufFile(write(bytes))).toEqual({
      path: join(folder, "model.gguf"),
      bytes: bytes.length,
      trainedTokens: 8192,
      tokenBytes: 64,
    });
  });

  it("reads grouped key and value heads with their widths", () => {
    const metadata = {
      ...smallModel,
      "llama.attention.head_count_kv": { type: "uint32", value: 1 },
      "llama.attention.key_length": { type: "uint32", value: 16 },
      "llama.attention.value_length": { type: "uint32", value: 8 },
    } as const;
    expect(readGgufFile(write(ggufBytes({ metadata }))).tokenBytes).toBe(2 * 1 * (16 + 8) * 2);
  });

  it("reads a large vocabulary, and a key of a megabyte", () => {
    const metadata = {
      ["a".repeat(1e6)]: { type: "string", value: "🎈".repeat(1000) },
      "tokenizer.ggml.merges": { type: "array", value: Array.from({ length: 100_000 }, (_, index) => `w${index}`) },
      ...smallModel,
    } as const;
    expect(readGgufFile(write(ggufBytes({ metadata }))).trainedTokens).toBe(8192);
  });

  it("returns null for missing values", () => {
    expect(readGgufFile(write(ggufBytes({ metadata: {} })))).toMatchObject({ trainedTokens: null, tokenBytes: null });
  });

  it("refuses a file that is truncated at any byte of its header, and one without its last tensor", () => {
    const whole = ggufBytes({ tensors: [64, 32] });
    for (let length = 4; length <= whole.length - 32; length += 1) {
      const cut = write(whole.subarray(0, length), "cut.gguf");
      expect(() => readGgufFile(cut)).toThrow(/cut\.gguf is truncated or damaged.*Download it again/u);
    }
    expect(readGgufFile(write(whole, "whole.gguf")).bytes).toBe(whole.length);
  });

  it("allocates nothing for an impossible length", () => {
    const damaged = ggufBytes();
    damaged.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 24);
    expect(() => readGgufFile(write(damaged))).toThrow(/truncated or damaged/u);
    damaged.writeBigUInt64LE(1n << 40n, 24);
    expect(() => readGgufFile(write(damaged))).toThrow(/truncated or damaged/u);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["three letters", Buffer.from("GGU")],
    ["another format", Buffer.from("PK\u0003\u0004 a zip archive")],
    ["an older name of the format", Buffer.from("ggjt0000")],
  ])("refuses a file of %s", (_what, bytes) => {
    expect(() => readGgufFile(write(bytes))).toThrow(
      /Expected .*model\.gguf to be a GGUF file, but it does not begin with the letters GGUF/u,
    );
  });

  it("refuses an unknown version", () => {
    expect(() => readGgufFile(write(ggufBytes({ version: 9 })))).toThrow(/version 2 or 3, got version 9/u);
  });

  it("refuses a folder, a missing file, and an invalid path", () => {
    for (const path of [folder, join(folder, "none.gguf"), "a\u0000b.gguf", `${"a".repeat(1e5)}.gguf`]) {
      expect(() => readGgufFile(path)).toThrow(ConfigError);
    }
    expect(() => readGgufFile(join(folder, "none.gguf"))).toThrow(/none\.gguf cannot be read: there is no such file/u);
  });
});

describe("contextSizeOf", () => {
  const file = { path: "m.gguf", bytes: 1_000_000_000, trainedTokens: 32_768, tokenBytes: 28_672 };
  const gigabytes = (count: number): number => count * 1_000_000_000;

  it("is the trained length, as far as half of the memory allows", () => {
    expect(contextSizeOf(file, { configured: null, totalMemory: gigabytes(64) })).toBe(32_768);
    // (1.5 - 1) GB / 28,672 bytes = 17,438 tokens, in steps of 256.
    expect(contextSizeOf(file, { configured: null, totalMemory: gigabytes(3) })).toBe(17_408);
    expect(contextSizeOf(file, { configured: null, totalMemory: gigabytes(1) })).toBe(4096);
  });

  it("is the configured size, but never more than the trained length", () => {
    expect(contextSizeOf(file, { configured: 2000, totalMemory: gigabytes(1) })).toBe(2000);
    expect(contextSizeOf(file, { configured: 100_000, totalMemory: gigabytes(64) })).toBe(32_768);
    expect(contextSizeOf({ ...file, trainedTokens: null }, { configured: 100_000, totalMemory: 1 })).toBe(100_000);
  });

  it("is small if the file does not specify it", () => {
    const unknown = { ...file, trainedTokens: null, tokenBytes: null };
    expect(contextSizeOf(unknown, { configured: null, totalMemory: gigabytes(64) })).toBe(8192);
  });
});
