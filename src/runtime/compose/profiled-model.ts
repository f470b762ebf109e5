// A model with the window and the longest reply that its server states.
// Invariant: a configured window has precedence; a server that does not answer delays a turn by seconds at most, and changes nothing.
import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/waiting.ts";
import { ContextOverflowError } from "../../base/errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/llm/model.ts";
import type { ModelServer } from "../../model/llm/servers/list-models.ts";
import type { WindowSource } from "../../base/message/message.ts";
import type { ModelProfiles, StoredProfile } from "./model-profiles.ts";

export interface ProfiledOptions {
  readonly baseUrl: string | null;
  /** Null: the server does not say windows, and is not asked. */
  readonly server: ModelServer | null;
  /** Tokens; null: the server's. */
  readonly configured: number | null;
  /** The window to count with if the server does not say it. */
  readonly defaultWindow: number;
  readonly profiles: ModelProfiles;
  readonly clock: Clock;
}

/** Milliseconds: for an answer, for loading a model, and for which an answer is believed. */
const times = { answer: 2000, load: 300_000, keep: 60_000 } as const;

/** Returns the model, whose `contextWindow` changes with what is known of the server. */
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
    // A window that the server chooses when it loads the model is asked for again before the next request.
    if (profile.window === null) asking = null;
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
      // Only an abort rejects, and it is for the caller to notice.
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
