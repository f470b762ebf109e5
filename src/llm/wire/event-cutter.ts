// Cuts a byte stream into whole server-sent events, because the SDKs scan an event again for every piece that comes of it.
// Invariant: time is linear in the bytes; nothing is lost; a line ends with a line feed, whatever ended it before.

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const newline = new Uint8Array([lineFeed]);

export interface EventCutter {
  /** The events that are whole with these bytes, each with its blank line. */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /** What is left at the end of the stream. */
  rest(): Uint8Array;
}

export function createEventCutter(): EventCutter {
  const event = createByteBuffer();
  let lineLength = 0;
  let afterReturn = false;
  return {
    push(bytes) {
      const events: Uint8Array[] = [];
      let lineStart = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        const isSecondHalf = afterReturn && byte === lineFeed;
        afterReturn = byte === carriageReturn;
        if (isSecondHalf) {
          lineStart = at + 1;
        } else if (byte === lineFeed || byte === carriageReturn) {
          event.add(bytes.subarray(lineStart, at));
          event.add(newline);
          if (lineLength === 0) events.push(event.take());
          lineLength = 0;
          lineStart = at + 1;
        } else {
          lineLength += 1;
        }
      }
      event.add(bytes.subarray(lineStart));
      return events;
    },
    rest: () => event.take(),
  };
}

interface ByteBuffer {
  add(bytes: Uint8Array): void;
  /** All that was added since the last time. */
  take(): Uint8Array;
}

/** Doubles when it is full, so that each byte is copied a constant number of times. */
function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array(4096);
  let length = 0;
  return {
    add(bytes) {
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(buffer.length * 2, length + bytes.length));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length += bytes.length;
    },
    take() {
      const taken = buffer.slice(0, length);
      length = 0;
      return taken;
    },
  };
}
