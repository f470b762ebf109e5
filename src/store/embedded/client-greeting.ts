// The start of a connection: declines encryption, negotiates the version, and authenticates where a secret is required.
// Invariant: pure; it returns what to answer, and the connection sends it.
import { createHash, timingSafeEqual } from "node:crypto";
import type { ClientMessage } from "./message-reader.ts";
import { fatalMessage, md5RequestMessage, startCodes } from "./wire-message.ts";

/**
 * The response to a greeting message. `demand`: from here on, messages have a type, and the next contains the proof.
 */
export type GreetingStep =
  | { readonly kind: "reply" | "demand" | "refuse"; readonly bytes: Buffer }
  | { readonly kind: "welcome" }
  | { readonly kind: "leave" };

/** Handles the first message. With a secret, the client must prove with the salt that it knows it. */
export function answerStart({ bytes }: ClientMessage, secret: string | undefined, salt: Buffer): GreetingStep {
  const code = bytes.length < 8 ? 0 : bytes.readInt32BE(4);
  switch (code) {
    case startCodes.ssl:
    case startCodes.gss:
      return { kind: "reply", bytes: Buffer.from("N") };
    case startCodes.version3:
      return secret === undefined ? { kind: "welcome" } : { kind: "demand", bytes: md5RequestMessage(salt) };
    case startCodes.cancel:
      // Cancelling is not possible: the single backend runs each statement to its end before it reads again.
      return { kind: "leave" };
    default:
      return { kind: "refuse", bytes: fatalMessage("08P01", "expected protocol version 3.0") };
  }
}

/** Verifies the requested proof, `md5(md5(secret + user) + salt)`, which never transmits the secret itself. */
export function answerProof({ type, bytes }: ClientMessage, secret: string, salt: Buffer): GreetingStep {
  const inner = createHash("md5").update(`${secret}postgres`).digest("hex");
  const expected = Buffer.from(`md5${createHash("md5").update(inner).update(salt).digest("hex")}\0`);
  const given = bytes.subarray(5);
  const isRight = type === "p" && given.length === expected.length && timingSafeEqual(given, expected);
  if (isRight) return { kind: "welcome" };
  return { kind: "refuse", bytes: fatalMessage("28P01", "the secret of the data folder is missing or wrong") };
}
