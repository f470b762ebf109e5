// Builds the routes of `/v1` that attach a record to an agent, and detach it.
// Invariant: in response to a change of an agent, clients of version 1 get null, and older ones get the agent.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import type { IdName } from "../ids.ts";
import { on } from "../letta-routes.ts";
import type { Attachment } from "../collections/collections.ts";
import { agentKind, agentState, isNewClient } from "./agent-record.ts";

export interface AttachableKind {
  /** The word in the paths: `/agents/:agent/WORD/attach/:NAME`. */
  readonly word: string;
  readonly name: IdName;
  /** The kind of record in the summaries of the routes, with its article: `a folder`. */
  readonly label: string;
  /** A text that is added to the summary of the detach route. */
  readonly detached?: string;
  /** If set, every client gets the agent as the response, not null. */
  readonly isShown?: true;
  /** Attaches a record to the agent, or detaches it. Throws RequestError if the agent or the record is unknown. */
  readonly change: (runtime: UserRuntime, attachment: Attachment) => Promise<unknown>;
}

export function attachRoutes(kind: AttachableKind): readonly Route[] {
  const { word, name, label, detached = "", isShown, change } = kind;
  return ([true, false] as const).map((isWanted) => {
    const [verb, summary] = isWanted
      ? ["attach", `Attach ${label} to an agent`]
      : ["detach", `Detach ${label} from an agent${detached}`];
    return on(`patch /agents/:agent/${word}/${verb}/:${name}` as "patch /:agent/:id", "admin", summary, {
      output: isShown === true ? agentKind.shape : z.unknown(),
      run: async ({ runtime, params: { agent, ...ids }, headers, agentChanges }) => {
        const attachment = { agent, id: Object.values(ids)[0]!, isWanted };
        await agentChanges.run(agent, () => change(runtime, attachment));
        return isShown === true ? agentState(runtime, agent) : afterChange(runtime, agent, headers);
      },
    });
  });
}

export async function afterChange(runtime: UserRuntime, agent: string, headers: Headers) {
  return isNewClient(headers) ? null : agentState(runtime, agent);
}
