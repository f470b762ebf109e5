// Core memory as it was at a step.
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { memoryAt } from "./memory-at.ts";

/** Revisions that are read at most; with more since then, what is shown may be newer. */
const maxRevisions = 1000;

export function PastMemory({ agent, at }: { readonly agent: string; readonly at: string }) {
  const { client } = useSession();
  const memory = useLoaded(
    async (signal) => {
      const params = { agent };
      const [modules, revisions] = await Promise.all([
        client.call("GET /agents/:agent/modules", { params, signal }),
        client.call("GET /agents/:agent/revisions", { params, query: { limit: maxRevisions }, signal }),
      ]);
      return memoryAt(modules, revisions, at);
    },
    [client, agent, at],
  );
  return (
    <Shown loaded={memory}>
      {(modules) => (
        <ul class="plain" aria-label="Core memory at this step">
          {modules.map(({ label, text, isChangedSince }) => (
            <li key={label}>
              <strong>
                <PlainText text={label} length={60} isInline />
              </strong>
              {isChangedSince ? <span class="note"> changed since</span> : null}
              <PlainText text={text} length={4000} />
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}
