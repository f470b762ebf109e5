// Reads the duration of audio and video from file headers.
// Invariant: never throws; null if it cannot be determined cheaply.

/** Supports WAV, MP4 and related formats, and MP3 with a constant bit rate (an estimate for any other). */
export function readSeconds(data: Uint8Array, mediaType: string): number | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const seconds = secondsOf(bytes, mediaType);
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 10) / 10 : null;
}

function secondsOf(bytes: Buffer, mediaType: string): number | null {
  if (/wav/u.test(mediaType)) return wavSeconds(bytes);
  if (/mp4|m4a|quicktime/u.test(mediaType)) return movieSeconds(bytes);
  return mediaType === "audio/mpeg" ? mp3Seconds(bytes) : null;
}

/**
 * Bytes of the data chunk divided by bytes per second, both from the header. A streaming length (0 or all ones) means
 * the rest of the file.
 */
function wavSeconds(bytes: Buffer): number | null {
  const format = bytes.indexOf("fmt ", 12, "latin1");
  const data = bytes.indexOf("data", 12, "latin1");
  if (format < 0 || data < 0 || format + 20 > bytes.length || data + 8 > bytes.length) return null;
  const rest = bytes.length - data - 8;
  const length = bytes.readUInt32LE(data + 4);
  return Math.min(length === 0 ? rest : length, rest) / bytes.readUInt32LE(format + 16);
}

/** The movie header (`mvhd`, ISO 14496-12, 8.2.2): duration over time scale. */
function movieSeconds(bytes: Buffer): number | null {
  const at = bytes.indexOf("mvhd", 0, "latin1");
  if (at < 0 || at + 36 > bytes.length) return null;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  return (isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20)) / scale;
}

// Kilobits per second by the index in a frame header (ISO 11172-3, layer III); the second row is for MPEG-2.
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;

/** The bytes after the tags, divided by the bit rate of the first frame. */
function mp3Seconds(bytes: Buffer): number | null {
  const start = bytes.toString("latin1", 0, 3) === "ID3" ? 10 + syncSafe(bytes) : 0;
  const end = Math.min(bytes.length - 3, start + 65_536);
  for (let at = start; at < end; at += 1) {
    // Frame sync, a version that exists, layer III.
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2) continue;
    const row = (bytes[at + 1]! & 0x18) === 0x18 ? 0 : 1;
    const rate = bitRates[row][bytes[at + 2]! >> 4] ?? 0;
    if (rate > 0) return ((bytes.length - at) * 8) / (rate * 1000);
  }
  return null;
}

/** The length of an ID3v2 tag: four bytes of seven bits. */
function syncSafe(bytes: Buffer): number {
  return [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0);
}
