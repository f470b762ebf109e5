// How a connection begins: encryption is declined, the version agreed upon, the secret asked for where one is needed.
// Invariant: pure; it says what to answer and leaves the doing to the connection.
import { createHash, timingSafeEqual } from "node:crypto";
import type { ClientMessage } from "./message-reader.ts";
import { fatalMessage, md5RequestMessage, startCodes } from "./wire-message.ts";

/** What a message of the greeting calls for. `demand`: from here on, messages have a type, and the next is the answer. */
export type GreetingStep =
  | { readonly kind: "reply" | "demand" | "refuse"; readonly bytes: Buffer }
  | { readonly kind: "welcome" }
  | { readonly kind: "leave" };

/** The first message. With a secret, the client is asked to prove with the salt that it knows it. */
export function answerStart({ bytes }: ClientMessage, secret: string | undefined, salt: Buffer): GreetingStep {
  const code = bytes.length < 8 ? 0 : bytes.readInt32BE(4);
  switch (code) {
    case startCodes.ssl:
    case startCodes.gss:
      return { kind: "reply", bytes: Buffer.from("N") };
    case startCodes.version3:
      return secret === undefined ? { kind: "welcome" } : { kind: "demand", bytes: md5RequestMessage(salt) };
    case startCodes.cancel:
      // There is nobody to interrupt: the one backend runs each statement to its end before it listens again.
      return { kind: "leave" };
    default:
      return { kind: "refuse", bytes: fatalMessage("08P01", "expected protocol version 3.0") };
  }
}

/** The proof that was demanded: `md5(md5(secret + user) + salt)`, so that the secret itself is never sent. */
export function answerProof({ type, bytes }: ClientMessage, secret: string, salt: Buffer): GreetingStep {
  const inner = createHash("md5").update(`${secret}postgres`).digest("hex");
  const expected = Buffer.from(`md5${createHash("md5").update(inner).update(salt).digest("hex")}\0`);
  const given = bytes.subarray(5);
  const isRight = type === "p" && given.length === expected.length && timingSafeEqual(given, expected);
  if (isRight) return { kind: "welcome" };
  return { kind: "refuse", bytes: fatalMessage("28P01", "the secret of the data folder was not given") };
}
