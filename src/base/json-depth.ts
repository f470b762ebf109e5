// How deeply a JSON text is nested, found without parsing it.
// Invariant: needs no stack, so no text overflows it.

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/** Returns whether lists and objects of a JSON text are nested more than `max` times. Of other texts it returns either. */
export function isNestedDeeper(json: Uint8Array, max: number): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      depth += 1;
      if (depth > max) return true;
    }
  }
  return false;
}
