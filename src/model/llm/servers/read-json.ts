// Reads a bounded JSON answer of a server.
// Invariant: no more than the maximum is read; an answer that is not JSON is null, never an error.

/** Maximum bytes of an answer. The longest known list of models has half a million. */
const maxBytes = 8_000_000;

/** Returns null for an answer that is too long or not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readBounded(response);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // Whoever reads it checks its shape, and null has none.
    return null;
  }
}

/** Returns null if it is too long. */
async function readBounded(response: Response): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
