// Small files that are really what they say: an image of each format, a PDF, audio and video, made here byte by byte.
import { crc32, deflateSync } from "node:zlib";

/** A whole PNG of this size, grey. */
export function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = deflateSync(Buffer.alloc((width + 1) * height, 100));
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", head),
    pngChunk("IDAT", rows),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

/** `crc32` came to zlib with Node 20.15. */
function crc(bytes: Buffer): number {
  if (typeof crc32 === "function") return crc32(bytes);
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** The marks of a JPEG without a picture: enough to be known and measured. With `orientation`, an EXIF block says it. */
export function jpeg(width: number, height: number, orientation?: number): Buffer {
  const frame = Buffer.from("ffc0001108000000000301220002110103110100", "hex").subarray(0, 19);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const scan = Buffer.from("ffda000c03010002110311003f00aabbcc", "hex");
  const app =
    orientation === undefined ? Buffer.from("ffe000104a46494600010100000100010000", "hex") : exif(orientation);
  return Buffer.concat([Buffer.from("ffd8", "hex"), app, frame, scan, Buffer.from("ffd9", "hex")]);
}

function exif(orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008000101120003000000010000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const head = Buffer.from("ffe10000", "hex");
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

export function gif(width: number, height: number): Buffer {
  const head = Buffer.from("GIF89a\0\0\0\0\0\0\0", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return Buffer.concat([head, Buffer.from("2c000000000100010000020144003b", "hex")]);
}

export function webp(width: number, height: number): Buffer {
  const frame = Buffer.alloc(18);
  frame.writeUInt32LE(10, 4);
  frame.set(Buffer.from("VP8X", "latin1"));
  frame.writeUIntLE(width - 1, 12, 3);
  frame.writeUIntLE(height - 1, 15, 3);
  const riff = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  riff.writeUInt32LE(4 + frame.length, 4);
  return Buffer.concat([riff, frame]);
}

/** A PDF with so many pages; `compressed` puts the page objects into an object stream, as newer writers do. */
export function pdf(pages: number, { compressed = false } = {}): Buffer {
  const objects = Array.from({ length: pages }, (_, at) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${at} 9] >>`);
  const tree = `2 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n`;
  const parts: (string | Buffer)[] = ["%PDF-1.5\n", "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n", tree];
  if (compressed) {
    const stream = deflateSync(Buffer.from(objects.join(" ")));
    parts.push(`3 0 obj\n<< /Type /ObjStm /N ${pages} /Filter /FlateDecode /Length ${stream.length} >>\nstream\n`);
    parts.push(stream, "\nendstream\nendobj\n");
  } else {
    parts.push(...objects.map((object, at) => `${at + 3} 0 obj\n${object}\nendobj\n`));
  }
  return Buffer.concat([...parts, "%%EOF\n"].map((part) => Buffer.from(part)));
}

/** Silence of so many seconds: 8,000 samples a second of one byte. */
export function wav(seconds: number): Buffer {
  const head = Buffer.from(
    "524946460000000057415645666d7420100000000100010040 1f0000401f00000100080064617461 00000000".replaceAll(" ", ""),
    "hex",
  );
  const samples = Math.round(8000 * seconds);
  head.writeUInt32LE(36 + samples, 4);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

/** Frames of 128 kbit/s and 44.1 kHz, 417 bytes each. */
export function mp3(frames: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  const tag = Buffer.from("49443303000000000000", "hex");
  return Buffer.concat([tag, ...Array.from({ length: frames }, () => frame)]);
}

/** The boxes that tell a movie's type and length. */
export function mp4(seconds: number): Buffer {
  const header = Buffer.alloc(108);
  header.writeUInt32BE(108);
  header.write("mvhd", 4, "latin1");
  header.writeUInt32BE(1000, 20);
  header.writeUInt32BE(seconds * 1000, 24);
  const movie = Buffer.alloc(8);
  movie.writeUInt32BE(116);
  movie.write("moov", 4, "latin1");
  return Buffer.concat([Buffer.from("000000186674797069736f6d0000020069736f6d69736f32", "hex"), movie, header]);
}
