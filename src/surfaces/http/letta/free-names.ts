// Finds free names for agents and sources, because a name is unique in the runtime, but not in Letta.
// Invariant: clients see the name that they gave; if the runtime's name differs, the given name is in the record's
// extension.
import { RequestError } from "../../../base/errors.ts";

interface GivenName {
  /** The name in the runtime. */
  readonly name: string;
  /** The name that the client gave; undefined if it is equal to `name`. */
  readonly shown: string | undefined;
}

/** Maximum length of a name in code points, without the number that may follow. */
const maxLength = 90;
const maxNumber = 10_000;

/** Calls `use` with names until one is free, and returns its result. Throws RequestError `agent_exists` or `source_exists`. */
export function withFreeName<Result>(wanted: string, use: (given: GivenName) => Promise<Result>): Promise<Result> {
  const base = usable(wanted);
  return withFreeEnding((ending) => {
    const name = base + ending;
    return use({ name, shown: name === wanted ? undefined : wanted });
  });
}

/**
 * Calls `use` with an ending for one or more names (first none, then ` (2)`, and so on) until all names are free, and
 * returns its result. Throws the same errors as `withFreeName`.
 */
export async function withFreeEnding<Result>(use: (ending: string) => Promise<Result>): Promise<Result> {
  for (let number = 1; ; number = nextNumber(number)) {
    try {
      return await use(number === 1 ? "" : ` (${number})`);
    } catch (error) {
      const isTaken =
        error instanceof RequestError && (error.code === "agent_exists" || error.code === "source_exists");
      if (!isTaken || number > maxNumber) throw error;
    }
  }
}

/** Returns the next number to try. Above 5 the steps grow, so that a name that many agents have needs few attempts. */
function nextNumber(number: number): number {
  return number < 5 ? number + 1 : number * 2 + Math.floor(Math.random() * number);
}

function usable(wanted: string): string {
  const plain = wanted.replace(/[\p{Cc}/]/gu, "-").trim();
  return plain === "" ? "unnamed" : [...plain].slice(0, maxLength).join("");
}
