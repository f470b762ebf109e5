// How deeply a JSON text is nested and how many values it has, found without parsing it.
// Invariant: needs no stack and makes no objects, so no text overflows it or fills memory.

const [quote, backslash] = Buffer.from('"\\');

/** For each byte outside a text: how much deeper what follows is nested, and whether a value follows. */
const deeper = tableOf({ "[": 1, "{": 1, "]": -1, "}": -1 });
const more = tableOf({ "[": 1, "{": 1, ",": 1 });

export interface JsonLimits {
  /** Lists and objects in each other. */
  readonly nesting: number;
  /** Items of lists and fields of objects, together. */
  readonly values: number;
}

/** Returns the limit that a JSON text exceeds first, or null. Of other texts it returns any. */
export function exceededLimit(json: Uint8Array, limits: JsonLimits): keyof JsonLimits | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    if (byte === quote) at = endOfText(json, at + 1);
    depth += deeper[byte]!;
    values += more[byte]!;
    if (depth > limits.nesting) return "nesting";
    if (values > limits.values) return "values";
  }
  return null;
}

/** Bytes after which a search by the engine is faster than a look at each byte. */
const longText = 64;

/** Returns the place of the quote that ends a text, or the length of the JSON. */
function endOfText(json: Uint8Array, from: number): number {
  let plain = 0;
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) return at;
    plain = byte === backslash ? 0 : plain + 1;
    if (byte === backslash) at += 1;
    else if (plain === longText) {
      const next = json.indexOf(quote!, at);
      if (next === -1) return json.length;
      at = firstEscape(json, next) - 1;
      plain = 0;
    }
  }
  return json.length;
}

/** Returns the place of the first of the backslashes right before a quote; that of the quote if there are none. */
function firstEscape(json: Uint8Array, quoteAt: number): number {
  let first = quoteAt;
  while (json[first - 1] === backslash) first -= 1;
  return first;
}

function tableOf(steps: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [character, step] of Object.entries(steps)) table[character.charCodeAt(0)] = step;
  return table;
}
