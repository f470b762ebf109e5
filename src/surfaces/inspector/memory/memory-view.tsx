// Core memory: lists the modules of an agent, and shows the chosen one, or else the one that changed last.
import { ListLink } from "../parts/list-link.tsx";
import { Meter } from "../parts/meter.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import type { CoreModule } from "./core-module.ts";
import { ModuleView } from "./module-view.tsx";

interface MemoryViewProps {
  readonly agent: string;
  /** The label of the chosen module, then the number of the chosen revision; both can be absent. */
  readonly path: readonly string[];
}

export function MemoryView({ agent, path: [label, revision] }: MemoryViewProps) {
  const { client } = useSession();
  const modules = useLoaded(
    async (signal) => {
      const [found, [last], { passages }] = await Promise.all([
        client.call("GET /agents/:agent/modules", { params: { agent }, signal }),
        client.call("GET /agents/:agent/revisions", { params: { agent }, query: { limit: 1 }, signal }),
        client.call("GET /agents/:agent/archive/count", { params: { agent }, signal }),
      ]);
      return { found, lastChanged: last?.label, passages };
    },
    [client, agent],
  );
  return (
    <>
      <h1>Memory</h1>
      <Shown loaded={modules}>
        {({ found, lastChanged, passages }) => {
          const chosen = found.find((module) => module.label === (label ?? lastChanged)) ?? found[0];
          if (chosen === undefined) return <p>This agent has no modules.</p>;
          return (
            <div class="columns">
              <ul class="list" aria-label="Modules">
                {found.map((module) => (
                  <ModuleLink key={module.id} agent={agent} module={module} isChosen={module === chosen} />
                ))}
                <ListLink place={agentPlace(agent, "search")}>
                  <strong>Archive</strong> <span class="note block">{countText(passages, "passage")}</span>
                </ListLink>
              </ul>
              <ModuleView
                key={chosen.id}
                agent={agent}
                module={chosen}
                revision={revision === undefined ? null : Number(revision)}
                onChange={modules.reload}
              />
            </div>
          );
        }}
      </Shown>
    </>
  );
}

interface ModuleLinkProps {
  readonly agent: string;
  readonly module: CoreModule;
  readonly isChosen: boolean;
}

function ModuleLink({ agent, module, isChosen }: ModuleLinkProps) {
  const { label, length, limit, readOnly, revision, trust, scope } = module;
  return (
    <ListLink place={agentPlace(agent, "memory", [label])} isChosen={isChosen}>
      <strong>
        <PlainText text={label} length={60} isInline />
      </strong>{" "}
      <TrustMark trust={trust} />
      {readOnly ? <span class="mark">read-only</span> : null}
      {scope === "user" ? (
        <span class="mark" title="Several agents can hold this module">
          of the user
        </span>
      ) : null}
      <span class="note block">
        {countText(revision, "change")} <Meter label="Length" value={length} limit={limit} unit="characters" />
      </span>
    </ListLink>
  );
}
