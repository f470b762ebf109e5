// The stored profiles of models: what their servers say of them, and windows learned from refused requests. A file of the data
// folder holds them, so that every process knows them.
// Invariant: an unreadable file is as no file, and a failure to write it is logged; neither fails a call of a model.
import { readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { replaceFile } from "../../base/replace-file.ts";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import { type ModelProfile, unknownAbilities, windowBounds } from "../../model/llm/servers/model-profile.ts";

/** A profile, and the window that an error of the server has named, which lasts until the server says another than it did. */
export interface StoredProfile extends ModelProfile {
  readonly learnedWindow: number | null;
}

export interface ModelProfiles {
  /** `baseUrl`: null for the provider's own address. Returns null for a model of which nothing is known. */
  find(model: string, baseUrl: string | null): StoredProfile | null;
  /** Keeps what the server says now. */
  keep(model: string, baseUrl: string | null, profile: ModelProfile): Promise<void>;
  /** Keeps a window that an error has named; one that cannot be right is ignored. */
  learn(model: string, baseUrl: string | null, window: number): Promise<void>;
}

const size = z.number().int().min(windowBounds.min).max(windowBounds.max).nullable();
const ability = z.boolean().nullable();
const shape = z.record(
  z.string(),
  z.object({
    window: size,
    assumedWindow: size,
    maxOutputTokens: size,
    abilities: z.object({ tools: ability, images: ability, thinking: ability, embeddings: ability }),
    program: z.enum(["Ollama", "LM Studio", "llama.cpp", "vLLM"]).nullable(),
    learnedWindow: size,
  }),
);
type Stored = Record<string, StoredProfile>;

/** Maximum number of stored profiles; the oldest leave first. */
const maxProfiles = 1000;

const unknown: StoredProfile = {
  window: null,
  assumedWindow: null,
  maxOutputTokens: null,
  abilities: unknownAbilities,
  program: null,
  learnedWindow: null,
};

/** `dataDir` undefined: the profiles are kept in this process only. */
export async function openModelProfiles(
  dataDir: string | undefined,
  log: (line: string) => void,
): Promise<ModelProfiles> {
  const file = dataDir === undefined ? null : path.join(dataDir, "model-profiles.json");
  const known: Stored = file === null ? {} : await readStored(file, log);
  let writing = Promise.resolve();

  async function put(key: string, profile: StoredProfile): Promise<void> {
    if (JSON.stringify(known[key]) === JSON.stringify(profile)) return;
    known[key] = profile;
    if (file === null) return;
    writing = writing.then(() => write(file, { [key]: profile }, log));
    await writing;
  }

  return {
    find: (model, baseUrl) => known[keyOf(model, baseUrl)] ?? null,
    async keep(model, baseUrl, said) {
      const key = keyOf(model, baseUrl);
      const before = known[key] ?? unknown;
      // A server that has not loaded the model does not say a window; then the last one is the best guess.
      const window = said.window ?? before.window;
      const learnedWindow = window === before.window ? before.learnedWindow : null;
      await put(key, { ...said, window, learnedWindow });
    },
    async learn(model, baseUrl, window) {
      const key = keyOf(model, baseUrl);
      const learnedWindow = size.safeParse(window).data ?? null;
      if (learnedWindow !== null) await put(key, { ...(known[key] ?? unknown), learnedWindow });
    },
  };
}

/** Unambiguous, because no name contains a space. */
function keyOf(model: string, baseUrl: string | null): string {
  return baseUrl === null ? model : `${model} ${baseUrl}`;
}

async function readStored(file: string, log: (line: string) => void): Promise<Stored> {
  try {
    return shape.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    // A folder that cannot be used is reported by what opens the database in it.
    if (!["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? ""))
      log(`${file} cannot be read and is written anew.`);
    return {};
  }
}

/** Adds to what other processes have written. */
async function write(file: string, added: Stored, log: (line: string) => void): Promise<void> {
  const all = { ...(await readStored(file, log)), ...added };
  const kept = Object.fromEntries(Object.entries(all).slice(-maxProfiles));
  try {
    await replaceFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  } catch (error) {
    log(
      `${file} cannot be written: ${reasonOf(error)}. The windows of models are asked for again by the next process.`,
    );
  }
}
