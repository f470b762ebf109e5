// Holds the synopsis that the prompt of an open conversation shows.
// Invariant: in the stable layout, the prompt shows the snapshot's synopsis until the snapshot is renewed, or until the
// database withdraws the synopsis because one of its memories was deleted; in the inline layout, the prompt shows the
// newest synopsis. An agent with `synopsis: off` has none.
import type { Clock } from "../../base/clock.ts";
import { shownSynopsis } from "../../memory/synopsis/synopsis.ts";
import type { AgentRecord, SynopsisSnapshot } from "../../store/port/records.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { Thread } from "./thread.ts";

export interface PromptSynopsis {
  readonly current: SynopsisSnapshot | null;
  /** In the inline layout, reads the newest synopsis. Call this after the snapshot was loaded. */
  load(): Promise<void>;
  /** Removes the synopsis from the snapshot if the database has withdrawn it. In the inline layout, reads the newest one. */
  refresh(): Promise<void>;
  /** Reads the newest synopsis, for a new snapshot of the prompt; null if there is none. */
  read(): Promise<SynopsisSnapshot | null>;
}

export interface PromptSynopsisDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly clock: Clock;
  readonly thread: Thread;
}

export function createPromptSynopsis(deps: PromptSynopsisDeps): PromptSynopsis {
  const { agent, conversationId, store, clock, thread } = deps;
  const { layout } = agent.settings;
  let newest: SynopsisSnapshot | null = null;
  const read = async (): Promise<SynopsisSnapshot | null> =>
    shownSynopsis(await store.synopses.read(agent.id), agent.settings, clock.now());
  const load = async (): Promise<void> => {
    if (layout === "inline") newest = await read();
  };
  return {
    get current() {
      return layout === "inline" ? newest : (thread.snapshot?.synopsis ?? null);
    },
    load,
    async refresh() {
      await load();
      if (layout === "inline") return;
      const { snapshot } = thread;
      if (snapshot?.synopsis === undefined || (await store.synopses.isShown(conversationId))) return;
      const { synopsis: _gone, ...rest } = snapshot;
      thread.withdraw(rest);
    },
    read,
  };
}
