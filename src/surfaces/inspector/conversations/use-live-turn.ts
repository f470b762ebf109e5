// Follows the turn that runs in a conversation, whether this page or another program started it.
// Invariant: one stream is read at a time; leaving the view ends the reading, never the turn.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/api-error.ts";
import type { AgentEvent } from "../../../agent/events.ts";
import { useSession } from "../session/inspector-session.ts";
import { endNotes, noProgress, progressAfter, type TurnProgress } from "./turn-progress.ts";

export interface LiveTurn {
  /** The progress of the turn that is read, or was read last; null if there was none. */
  readonly progress: TurnProgress | null;
  readonly isRunning: boolean;
  readonly error: unknown;
  /**
   * Reads the events of a turn, which `open` starts or continues. Resolves to whether there were events: false if
   * another turn is being read, or if the turn was refused.
   */
  readonly follow: (open: (signal: AbortSignal) => AsyncIterable<AgentEvent>) => Promise<boolean>;
}

/** Milliseconds between two checks for a turn that another program started. */
const lookMs = 2500;

export function useLiveTurn(agent: string, conversation: string, onEnd: () => void): LiveTurn {
  const { client } = useSession();
  const [state, setState] = useState<Omit<LiveTurn, "follow">>({ progress: null, isRunning: false, error: undefined });
  const reading = useRef<AbortController | null>(null);
  const end = useRef(onEnd);
  end.current = onEnd;
  const follow: LiveTurn["follow"] = async (open) => {
    if (reading.current !== null) return false;
    const controller = new AbortController();
    reading.current = controller;
    let progress = noProgress;
    let isBegun = false;
    setState({ progress, isRunning: true, error: undefined });
    try {
      for await (const event of open(controller.signal)) {
        isBegun = true;
        progress = progressAfter(progress, event);
        const shown = progress;
        setState((known) => ({ ...known, progress: shown }));
      }
      if (!controller.signal.aborted) setState({ progress: endNotes(progress), isRunning: false, error: undefined });
    } catch (error) {
      if (!controller.signal.aborted) setState({ progress, isRunning: false, error });
    } finally {
      if (reading.current === controller) reading.current = null;
      if (!controller.signal.aborted) end.current();
    }
    return isBegun;
  };
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (reading.current !== null || document.hidden) return;
      const [turn] = await client.call("GET /turns", { query: { conversation, states: ["running"], limit: "1" } });
      if (turn === undefined || turn.conversationId !== conversation) return;
      const params = { agent, conversation, turn: turn.id };
      const path = "GET /agents/:agent/conversations/:conversation/turns/:turn/events" as const;
      await follow((signal) => client.events(path, { params, query: { after: 0 }, signal }));
    };
    const report = (error: unknown): void => {
      // If the key may not list turns, only turns that begin here are shown live.
      if (error instanceof ApiError && error.code === "key_scope") clearInterval(timer);
      else setState((known) => ({ ...known, error }));
    };
    const timer = setInterval(() => void look().catch(report), lookMs);
    void look().catch(report);
    return () => {
      clearInterval(timer);
      reading.current?.abort();
      reading.current = null;
    };
  }, [client, agent, conversation]);
  return { ...state, follow };
}
