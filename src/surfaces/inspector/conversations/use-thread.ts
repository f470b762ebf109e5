// Loads the messages of a conversation's thread page by page, in both directions.
// Invariant: messages are in order and without gaps; a page that arrives after the thread changed is ignored.
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { useSession } from "../session/inspector-session.ts";

export type ThreadMessage = CallResult<"GET /agents/:agent/conversations/:conversation/messages">["messages"][number];

export interface Thread {
  readonly messages: readonly ThreadMessage[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export type LoadedThread = ReturnType<typeof useThread>;

interface ThreadPlace {
  readonly agent: string;
  readonly conversation: string;
  /** The id of the message to show first; if absent, the end of the thread is shown. */
  readonly around: string | undefined;
}

const pageSize = 60;

export function useThread({ agent, conversation, around }: ThreadPlace) {
  const { client } = useSession();
  const [state, setState] = useState<{ readonly thread?: Thread; readonly error?: unknown }>({});
  /** Counts changes of the thread. The answer to a request from before the last change is ignored. */
  const round = useRef(0);
  const isLoading = useRef(false);
  const page = (query: object): Promise<Thread> =>
    client.call("GET /agents/:agent/conversations/:conversation/messages", {
      params: { agent, conversation },
      query: { limit: pageSize, ...query },
    });
  const load = async (step: () => Promise<Thread>): Promise<void> => {
    const asked = round.current;
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const thread = await step();
      if (asked === round.current) setState({ thread });
    } catch (error) {
      if (asked === round.current) setState((known) => ({ ...known, error }));
    } finally {
      if (asked === round.current) isLoading.current = false;
    }
  };
  const restart = (step: () => Promise<Thread>): void => {
    round.current += 1;
    isLoading.current = false;
    void load(step);
  };
  const { thread, error } = state;
  useEffect(() => {
    if (around !== undefined && thread?.messages.some(({ id }) => id === around) === true) return;
    restart(() =>
      around === undefined
        ? page({})
        : pageAround(around, page, (id) => client.call("GET /messages/:message", { params: { message: id } })),
    );
  }, [client, agent, conversation, around]);
  return {
    thread,
    error,
    loadOlder(): void {
      const [first] = thread?.messages ?? [];
      if (thread === undefined || !thread.hasOlder || first === undefined) return;
      void load(async () => {
        const older = await page({ before: first.id });
        return { ...thread, messages: [...older.messages, ...thread.messages], hasOlder: older.hasOlder };
      });
    },
    loadNewer(): void {
      const last = thread?.messages.at(-1);
      if (thread === undefined || !thread.hasNewer || last === undefined) return;
      void load(async () => {
        const newer = await page({ after: last.id });
        return { ...thread, messages: [...thread.messages, ...newer.messages], hasNewer: newer.hasNewer };
      });
    },
    /** Loads the end of the thread again, for example after a turn or a switch. */
    reload: () => restart(() => newest(thread, page)),
  };
}

type LoadPage = (query: object) => Promise<Thread>;

/** Returns the newest page of the thread, preceded by the loaded messages if they are still on the thread. */
async function newest(thread: Thread | undefined, page: LoadPage): Promise<Thread> {
  const end = await page({});
  const [first] = end.messages;
  const at = thread?.messages.findIndex(({ id }) => id === first?.id) ?? -1;
  if (thread === undefined || at === -1) return end;
  return {
    messages: [...thread.messages.slice(0, at), ...end.messages],
    hasOlder: thread.hasOlder,
    hasNewer: end.hasNewer,
  };
}

async function pageAround(id: string, page: LoadPage, find: (id: string) => Promise<ThreadMessage>): Promise<Thread> {
  const [older, message, newer] = await Promise.all([page({ before: id }), find(id), page({ after: id })]);
  return {
    messages: [...older.messages, message, ...newer.messages],
    hasOlder: older.hasOlder,
    hasNewer: newer.hasNewer,
  };
}
