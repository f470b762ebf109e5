// Routes of `/v1` that attach something to an agent, and detach it.
// Invariant: clients of version 1 get null for a change of an agent, older ones the agent.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { agentPath, type IdName, idNamed } from "../ids.ts";
import { agentState } from "./agent-state.ts";
import type { Attachment } from "./attachment.ts";
import { isNewClient } from "./relations.ts";

export interface AttachableKind {
  /** The word of the paths: `/agents/:agent/WORD/attach/:NAME`. */
  readonly word: string;
  readonly name: IdName;
  /** As summaries say it: "a folder". */
  readonly label: string;
  /** Throws RequestError for an agent or a thing that does not exist. */
  readonly change: (runtime: UserRuntime, attachment: Attachment) => Promise<void>;
}

export function attachRoutes({ word, name, label, change }: AttachableKind): readonly Route[] {
  const params = agentPath.extend({ [name]: idNamed(name) });
  return ([true, false] as const).map((isWanted) =>
    route({
      method: "patch",
      path: `/agents/:agent/${word}/${isWanted ? "attach" : "detach"}/:${name}`,
      summary: isWanted ? `Attach ${label} to an agent` : `Detach ${label} from an agent`,
      scope: "admin",
      params,
      output: z.unknown(),
      run: async ({ runtime, params: { agent, [name]: id }, headers }) => {
        await change(runtime, { agent: agent!, id: id!, isWanted });
        return afterChange(runtime, agent!, headers);
      },
    }),
  );
}

export async function afterChange(runtime: UserRuntime, agent: string, headers: Headers) {
  return isNewClient(headers) ? null : agentState(runtime, await runtime.agents.find(agent));
}
