// The agents that hold a module together.
import { PlainText } from "../parts/plain-text.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import type { CoreModule } from "./core-module.ts";

/** Nothing for a module that only one agent holds. */
export function ModuleHolders({ module }: { readonly module: CoreModule }) {
  const { client } = useSession();
  const holders = useLoaded(
    (signal) => client.call("GET /modules/:module/holders", { params: { module: module.id }, signal }),
    [client, module.id],
  );
  if (holders.value === undefined || holders.value.length < 2) return null;
  return (
    <p class="note">
      Held by{" "}
      {holders.value.map(({ agentId, agentName }, at) => (
        <span key={agentId}>
          {at === 0 ? "" : ", "}
          <a href={addressOf(agentPlace(agentId, "memory", [module.label]))}>
            <PlainText text={agentName} length={60} isInline />
          </a>
        </span>
      ))}
      . A change is a change for all of them.
    </p>
  );
}
