// GGUF files for tests, byte by byte as the format's description has them: metadata, and tensors of zeros.

const types = { uint32: 4, float32: 6, bool: 7, string: 8, array: 9, uint64: 10 } as const;

export type GgufValue =
  | { readonly type: "uint32" | "float32" | "bool" | "uint64"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "array"; readonly value: readonly string[] };

export interface GgufContent {
  readonly version?: number;
  readonly metadata?: Readonly<Record<string, GgufValue>>;
  /** Bytes of each tensor. */
  readonly tensors?: readonly number[];
}

/** A small model's metadata; 2 layers of 2 heads of 4 numbers. */
export const smallModel: Readonly<Record<string, GgufValue>> = {
  "general.architecture": { type: "string", value: "llama" },
  "general.quantized": { type: "bool", value: 1 },
  "llama.rope.freq_base": { type: "float32", value: 10_000 },
  "tokenizer.ggml.tokens": { type: "array", value: ["<s>", "你好", "🎈"] },
  "llama.context_length": { type: "uint32", value: 8192 },
  "llama.embedding_length": { type: "uint64", value: 8 },
  "llama.block_count": { type: "uint32", value: 2 },
  "llama.attention.head_count": { type: "uint32", value: 2 },
};

export function ggufBytes({ version = 3, metadata = smallModel, tensors = [64] }: GgufContent = {}): Buffer {
  const entries = Object.entries(metadata);
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    uint32(version),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), uint32(types[value.type]), bytesOf(value)]),
    ...tensors.map((_, index) =>
      Buffer.concat([text(`blk.${index}`), uint32(1), uint64(16), uint32(0), uint64(offsetOf(tensors, index))]),
    ),
  ]);
  const body = tensors.map((bytes) => Buffer.alloc(aligned(bytes)));
  return Buffer.concat([head, Buffer.alloc(aligned(head.length) - head.length), ...body]);
}

function offsetOf(tensors: readonly number[], index: number): number {
  return tensors.slice(0, index).reduce((sum, bytes) => sum + aligned(bytes), 0);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 32) * 32;
}

function bytesOf({ type, value }: GgufValue): Buffer {
  switch (type) {
    case "string":
      return text(value);
    case "array":
      return Buffer.concat([uint32(types.string), uint64(value.length), ...value.map(text)]);
    case "uint32":
      return uint32(value);
    case "uint64":
      return uint64(value);
    case "bool":
      return Buffer.from([value]);
    case "float32": {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(value);
      return bytes;
    }
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
