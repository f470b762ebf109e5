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
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
      continue;
    }
    if (byte === quote) isInText = true;
    depth += deeper[byte]!;
    values += more[byte]!;
    if (depth > limits.nesting) return "nesting";
    if (values > limits.values) return "values";
  }
  return null;
}

function tableOf(steps: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [character, step] of Object.entries(steps)) table[character.charCodeAt(0)] = step;
  return table;
}
