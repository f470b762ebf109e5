// Holds the conversations of a scene in turns, each at its time, with a model that edits memory as its prompt asks: a fact that
// changed is replaced in core memory or in the archive, in the turn in which the user says so.
// Invariant: a model edits the given share of the facts; half of these are in core memory, and the model edits nothing else.
import { type Clock, systemClock } from "../../src/base/clock.ts";
import type { ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ChangedFact, FactScene } from "./fact-scene.ts";

/** A statement of a fact that a model saves. */
interface Saved {
  readonly text: string;
  /** What it replaces; null for the first. */
  readonly old: string | null;
  readonly isCore: boolean;
}

/** The statements that a model saves, by what the user says. */
function savedBySaid({ changed }: FactScene, share: number): ReadonlyMap<string, Saved> {
  const edited = changed.filter((_, index) => ((Math.floor(index / 2) * 5) % 8) / 8 < share);
  return new Map(
    edited.flatMap(({ said, saved }) => said.map((text, place) => [text, savedAt(changed, saved, place)])),
  );
}

function savedAt(changed: readonly ChangedFact[], saved: readonly string[], place: number): Saved {
  const index = changed.findIndex((fact) => fact.saved === saved);
  return { text: saved[place]!, old: saved[place - 1] ?? null, isCore: Math.floor(index / 2) % 2 === 0 };
}

/** The model, its clock, and what holds the conversations. */
export function createTalker(scene: FactScene, share: number) {
  let next: readonly ScriptedReply[] = [];
  let time: Date | undefined;
  const clock: Clock = { ...systemClock, now: () => time ?? new Date() };
  const saved = savedBySaid(scene, share);
  const kept = new Set([...saved.values()].flatMap(({ text, isCore }) => (isCore ? [] : [text])));
  return {
    clock,
    /** The passages of the scene that the model does not save. */
    passages: scene.passages.filter(({ text }) => !kept.has(text)),
    nextReply: (): ScriptedReply => {
      const [reply = { text: "Done." }, ...rest] = next;
      next = rest;
      return reply;
    },
    async hold(runtime: Runtime, name: string): Promise<void> {
      for (const messages of scene.talks) {
        const agent = await runtime.agents.open(name, { conversation: "new" });
        for (const [at, message] of messages.entries()) {
          if (message.role !== "user") continue;
          time = message.at;
          const call = await callFor(runtime, name, saved.get(message.text));
          next = [{ text: messages[at + 1]!.text, ...call }];
          for await (const _ of agent.send(message.text));
        }
      }
      time = undefined;
    },
  };
}

async function callFor(
  runtime: Runtime,
  agent: string,
  saved: Saved | undefined,
): Promise<Pick<ScriptedReply, "toolCalls">> {
  if (saved === undefined) return {};
  return { toolCalls: [saved.isCore ? coreCall(saved) : await archivalCall(runtime, agent, saved)] };
}

function coreCall({ text, old }: Saved) {
  if (old === null) return { name: "core_memory_append", arguments: { name: "human", content: text } };
  return { name: "core_memory_replace", arguments: { name: "human", old_content: old, new_content: text } };
}

async function archivalCall(runtime: Runtime, agent: string, { text, old }: Saved) {
  const listed = old === null ? [] : await runtime.archival.list(agent, { limit: 1000 });
  const replaces = listed.filter((passage) => passage.text === old).map(({ id }) => id.slice(-8));
  return {
    name: "archival_memory_insert",
    arguments: { content: text, ...(replaces.length === 0 ? {} : { replaces }) },
  };
}
