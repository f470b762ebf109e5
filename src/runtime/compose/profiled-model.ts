// Wraps a model so that it uses its profile: the window and the longest reply that its server states. A file in the data folder
// stores profiles, and the window that a server names when it refuses a request as too long.
// Invariant: a configured window takes precedence. A server that does not answer delays a turn by seconds at most, and changes
// nothing. A file that cannot be read counts as absent, and a failed write is logged; neither fails a model call.
import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/waiting.ts";
import { ContextOverflowError } from "../../base/errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/llm/model.ts";
import type { ModelServer } from "../../model/llm/servers/list-models.ts";
import type { WindowSource } from "../../base/message/message.ts";
import { readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { replaceFile } from "../../base/replace-file.ts";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import { type ModelProfile, unknownAbilities, windowBounds } from "../../model/llm/servers/model-profile.ts";

export interface ProfiledOptions {
  readonly baseUrl: string | null;
  /** The server to ask; null if it does not state windows. */
  readonly server: ModelServer | null;
  /** The configured window in tokens; null: the window that the server states. */
  readonly configured: number | null;
  /** The window in tokens that is assumed if the server does not state one. */
  readonly defaultWindow: number;
  readonly profiles: ModelProfiles;
  readonly clock: Clock;
}

/** In milliseconds: maximum wait for an answer, maximum wait for loading a model, and how long an answer is used. */
const times = { answer: 2000, load: 300_000, keep: 60_000 } as const;

/**
 * Returns the model with a `contextWindow` that follows the server's profile: the configured window, else the one learned from
 * an overflow, else the one that the server states, else the default.
 */
export function withProfile(model: Model, options: ProfiledOptions): Model {
  const { baseUrl, server, configured, profiles, clock } = options;
  const known = (): StoredProfile | null => profiles.find(model.name, baseUrl);
  const closing = new AbortController();
  let asking: { readonly at: number; readonly done: Promise<void> } | null = null;

  async function read(from: ModelServer): Promise<void> {
    const name = model.name.slice(from.provider.length + 1);
    const limits = { timeoutMs: times.answer, loadMs: times.load, signal: closing.signal };
    const { readProfile } = await import("../../model/llm/servers/read-profile.ts");
    const profile = await readProfile(from, name, limits).catch(() => "closed" as const);
    if (profile === "closed" || profile === null) return;
    // Some servers choose the window when they load the model. Until then, they are asked again before each request.
    if (profile.window === null && profile.assumedWindow !== null) asking = null;
    await profiles.keep(model.name, baseUrl, profile);
  }

  return {
    name: model.name,
    hasStructuredOutput: model.hasStructuredOutput ?? false,
    get contextWindow() {
      return configured ?? windowIn(known())?.tokens ?? options.defaultWindow;
    },
    get windowFrom() {
      return configured === null ? (windowIn(known())?.from ?? "default") : "setting";
    },
    async prepare(signal) {
      if (server === null) return;
      const now = clock.now().getTime();
      if (asking === null || now - asking.at > times.keep) asking = { at: now, done: read(server) };
      // The wait rejects only if the signal aborts, which the caller notices itself.
      await (signal === undefined ? asking.done : untilAborted(asking.done, signal).catch(() => "aborted"));
    },
    async *stream(request, streamOptions): AsyncGenerator<ModelEvent> {
      try {
        yield* model.stream(withinMaximum(request, known()), streamOptions);
      } catch (error) {
        if (error instanceof ContextOverflowError && error.window !== null) {
          await profiles.learn(model.name, baseUrl, error.window);
        }
        throw error;
      }
    },
    async close() {
      closing.abort();
      await model.close?.();
    },
  };
}

function windowIn(profile: StoredProfile | null): { readonly tokens: number; readonly from: WindowSource } | null {
  if (profile === null) return null;
  const { learnedWindow, window, assumedWindow } = profile;
  if (learnedWindow !== null) return { tokens: learnedWindow, from: "overflow" };
  if (window !== null) return { tokens: window, from: "server" };
  return assumedWindow === null ? null : { tokens: assumedWindow, from: "default" };
}

function withinMaximum(request: ModelRequest, profile: StoredProfile | null): ModelRequest {
  const most = profile?.maxOutputTokens ?? Infinity;
  return request.maxOutputTokens <= most ? request : { ...request, maxOutputTokens: most };
}

/**
 * A profile with the window, in tokens, that an error of the server named. This window replaces the one in the server's model
 * list until the list states another.
 */
export interface StoredProfile extends ModelProfile {
  readonly learnedWindow: number | null;
}

export interface ModelProfiles {
  /** Returns the stored profile; null for an unknown model. `baseUrl`: null for the provider's own address. */
  find(model: string, baseUrl: string | null): StoredProfile | null;
  /** Stores the profile that the server states now. */
  keep(model: string, baseUrl: string | null, profile: ModelProfile): Promise<void>;
  /** Stores a window in tokens that an error has named; ignores a number that cannot be a window. */
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

/** Maximum number of stored profiles; the oldest profiles are dropped. */
const maxProfiles = 1000;

const unknown: StoredProfile = {
  window: null,
  assumedWindow: null,
  maxOutputTokens: null,
  abilities: unknownAbilities,
  program: null,
  learnedWindow: null,
};

/** Reads the stored profiles. `dataDir` undefined: the profiles are kept in this process only. */
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
      // A server that has not loaded the model states no window. Then the last stated window is the best guess.
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

/** Returns the key of a profile. It is unambiguous, because no name contains a space. */
function keyOf(model: string, baseUrl: string | null): string {
  return baseUrl === null ? model : `${model} ${baseUrl}`;
}

async function readStored(file: string, log: (line: string) => void): Promise<Stored> {
  try {
    return shape.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    // A missing folder is not logged here, because opening the database in the folder reports it.
    if (!["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? ""))
      log(`${file} cannot be read and will be replaced.`);
    return {};
  }
}

/** Adds profiles to the file, and keeps those that other processes have written. */
async function write(file: string, added: Stored, log: (line: string) => void): Promise<void> {
  const all = { ...(await readStored(file, log)), ...added };
  const kept = Object.fromEntries(Object.entries(all).slice(-maxProfiles));
  try {
    await replaceFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  } catch (error) {
    log(`${file} cannot be written: ${reasonOf(error)}. The next process asks the servers for the windows again.`);
  }
}
