// One-time codes by which `palimpsest inspect` passes the local key to the page, and proof that a server is that of the folder.
// Invariant: a code is in a file that only the owner of the data folder can read, and is exchanged for the key once, within
// a minute. Neither the proof nor the code contains the key.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, unlink } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../base/replace-file.ts";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import { Fault } from "../fault.ts";

/** Milliseconds in which a code can be exchanged. */
const lifeMs = 60_000;

/** A number used once, which must not make the server sign long texts. */
const nonceForm = /^[\w-]{16,64}$/u;

export interface InspectorCodes {
  /** Returns what `proofOf` returns for the present code, empty without one. Throws Fault `request_invalid`. */
  prove(nonce: string, port: number): Promise<string>;
  /** Returns the local key. Throws Fault `key_invalid` for a code that was used, is too old or is unknown. */
  redeem(code: unknown): Promise<string>;
}

/** Writes a new code, which replaces the one before it. */
export async function writeCode(dataDir: string, now: Date): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await replaceFile(fileIn(dataDir), `${code} ${now.getTime() + lifeMs}\n`);
  return code;
}

/** The port is a part, so that a program at another port cannot pass on the proof of this server. */
export function proofOf(code: string, nonce: string, port: number): string {
  return createHmac("sha256", code).update(`${port} ${nonce}`).digest("base64url");
}

export function createInspectorCodes(dataDir: string, clock: { now(): Date }): InspectorCodes {
  const current = async (): Promise<string | null> => {
    const [code = "", until = ""] = (await textOf(fileIn(dataDir))).trim().split(" ");
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
      // Of two requests with one code, only one removes the file.
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

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(first!, second!);
}

function unusable(): Fault {
  return new Fault(
    401,
    "key_invalid",
    "The code of the address was used already, or is older than a minute. Run `palimpsest inspect` again. If you did not use it, another user of this machine may have: revoke the key in the file server-key.",
  );
}
