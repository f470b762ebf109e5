// Writes one-time codes to the data folder; the inspector's page exchanges a code for the local key. A server that can read a
// code proves to `palimpsest inspect` that it uses the same data folder.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, unlink } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../base/replace-file.ts";
import { systemErrorCode, valueOn } from "../../../base/thrown-values.ts";
import { Fault } from "../fault.ts";

/** Milliseconds for which a code is valid. */
const lifeMs = 60_000;

/** The form of a nonce, which is short so that clients cannot make the server sign long texts. */
const nonceForm = /^[\w-]{16,64}$/u;

export interface InspectorCodes {
  /**
   * Returns the proof for the current code; "" if there is no valid code. Throws Fault `request_invalid` for a malformed nonce.
   */
  prove(nonce: string, port: number): Promise<string>;
  /** Returns the local key, and deletes the code. Throws Fault `key_invalid` for a code that is unknown, used or too old. */
  redeem(code: unknown): Promise<string>;
}

/** Writes a new code, which replaces the previous one, and returns it. */
export async function writeCode(dataDir: string, now: Date): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await replaceFile(fileIn(dataDir), `${code} ${now.getTime() + lifeMs}\n`);
  return code;
}

/** Returns a proof that the server at this port knows the code. A program at another port cannot reuse the proof. */
export function proofOf(code: string, nonce: string, port: number): string {
  return createHmac("sha256", code).update(`${port} ${nonce}`).digest("base64url");
}

export function createInspectorCodes(dataDir: string, clock: { now(): Date }): InspectorCodes {
  const current = async (): Promise<string | null> => {
    const [code = "", until = ""] = (await readFile(fileIn(dataDir), "utf8").catch(valueOn("ENOENT", "")))
      .trim()
      .split(" ");
    return code !== "" && clock.now().getTime() < Number(until) ? code : null;
  };
  return {
    async prove(nonce, port) {
      if (!nonceForm.test(nonce))
        throw new Fault(400, "request_invalid", "nonce: expected 16 to 64 letters, digits, - and _.");
      const code = await current();
      return code === null ? "" : proofOf(code, nonce, port);
    },
    async redeem(given) {
      const code = await current();
      if (code === null || typeof given !== "string" || !isSame(given, code)) throw unusable();
      // If two requests send the same code, only the one that deletes the file gets the key.
      await unlink(fileIn(dataDir)).catch((error: unknown) => {
        throw systemErrorCode(error) === "ENOENT" ? unusable() : error;
      });
      return (await readFile(path.join(dataDir, "server-key"), "utf8")).trim();
    },
  };
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, "inspect-code");
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(first!, second!);
}

function unusable(): Fault {
  return new Fault(
    401,
    "key_invalid",
    "The code in this address was used already, or is older than a minute. Run `palimpsest inspect` for a new one. If it was not you who used it, another user of this machine may have read your memory: revoke the key in the file server-key.",
  );
}
