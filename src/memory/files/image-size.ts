// Reads the displayed size of an image in pixels, and whether the file is complete.
import { imageSize as readSize } from "image-size";
import { RequestError } from "../../base/errors.ts";

export interface PixelSize {
  readonly width?: number;
  readonly height?: number;
}

interface Named {
  readonly name: string;
  readonly mediaType: string;
}

/** Throws RequestError `file_invalid` for an image that is truncated or whose header cannot be read. */
export function imageSize(data: Uint8Array, { name, mediaType }: Named): PixelSize {
  if (isCutOff(data, mediaType)) throw damaged(name, mediaType, "it is truncated");
  try {
    const { width, height, orientation = 1 } = readSize(data);
    if (!(width > 0 && height > 0)) throw new RangeError(`${width}×${height}`);
    // Orientations from 5 on are rotated by 90 degrees (EXIF 2.3, tag 274).
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch (cause) {
    // Models do not accept other formats, so their size is not needed.
    if (!(mediaType in ends)) return {};
    throw damaged(name, mediaType, "its size cannot be read", cause);
  }
}

/** Checks a format's end marker; trailing data is allowed. */
const ends: Readonly<Record<string, (data: Buffer) => boolean>> = {
  "image/png": (data) => data.includes("IEND", 8, "latin1"),
  "image/jpeg": (data) => data.lastIndexOf(Buffer.from([0xff, 0xd9])) > data.lastIndexOf(Buffer.from([0xff, 0xda])),
  "image/gif": (data) => data.lastIndexOf(0x3b) > 12,
  "image/webp": (data) => data.length >= 12 && data.readUInt32LE(4) + 8 <= data.length,
};

function isCutOff(data: Uint8Array, mediaType: string): boolean {
  const isComplete = ends[mediaType];
  return isComplete !== undefined && !isComplete(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
}

function damaged(name: string, mediaType: string, why: string, cause?: unknown): RequestError {
  return new RequestError("file_invalid", `${name} is a damaged image (${mediaType}): ${why}. Nothing was sent.`, {
    cause,
  });
}
