// The names of agents and sources: Letta lets several have one name, the runtime does not.
// Invariant: clients see the name that they gave; where the runtime cannot take it, it is in the notes.
import { RequestError } from "../../../base/errors.ts";

interface GivenName {
  /** What the runtime calls it. */
  readonly name: string;
  /** What the client called it, if that is something else. */
  readonly shown: string | undefined;
}

/** In code points, with room for a number. */
const maxLength = 90;
const maxNumber = 10_000;

/** Calls `use` with names until one is free. Throws RequestError `agent_exists` or `source_exists` if none is. */
export function withFreeName<Result>(wanted: string, use: (given: GivenName) => Promise<Result>): Promise<Result> {
  const base = usable(wanted);
  return withFreeEnding((ending) => {
    const name = base + ending;
    return use({ name, shown: name === wanted ? undefined : wanted });
  });
}

/** As `withFreeName`, for the endings of several names: none, ` (2)`, and so on. */
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

/** Counts to five, and then goes on in larger steps, so that a name of many agents needs few attempts. */
function nextNumber(number: number): number {
  return number < 5 ? number + 1 : number * 2 + Math.floor(Math.random() * number);
}

function usable(wanted: string): string {
  const plain = wanted.replace(/[\p{Cc}/]/gu, "-").trim();
  return plain === "" ? "unnamed" : [...plain].slice(0, maxLength).join("");
}
