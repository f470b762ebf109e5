// Reads the stored events of a run in the background, with the options that its notes have.
// Invariant: a run that goes on after its process ended has the options of the request that started it.
import type { TurnOptions } from "../../../agent/turn-options.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { FollowedTurn } from "../../follow-turn.ts";
import { type ReadEvent, readTurn } from "../../replay-turn.ts";
import { readNotes, type RunNotes } from "./run-notes.ts";

/** Yields the events from the first one. Throws RequestError `turn_not_found` if they are no longer stored. */
export function followRun(
  runtime: UserRuntime,
  turn: FollowedTurn,
  signal?: AbortSignal,
): AsyncGenerator<ReadEvent, void> {
  const optionsFor = keptOptions(runtime);
  return readTurn(runtime, turn, signal === undefined ? { optionsFor } : { signal, optionsFor });
}

/** Returns a function that returns the options of a run. */
export function keptOptions({ turns }: Pick<UserRuntime, "turns">): (turnId: string) => Promise<TurnOptions> {
  return async (turnId) => optionsOf(readNotes(await turns.find(turnId)));
}

export function optionsOf({ maxSteps, model, systemPrompt, clientTools }: RunNotes): TurnOptions {
  return {
    ...(maxSteps === null ? {} : { maxSteps }),
    ...(model === null ? {} : { model }),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    ...(clientTools.length === 0 ? {} : { clientTools }),
  };
}
