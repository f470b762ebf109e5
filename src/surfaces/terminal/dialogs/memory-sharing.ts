// Reads with whom the modules of an agent are shared, for the `/memory` panel.
// Invariant: read-only; for a module of another user, that user's agents are never named.
import type { ModuleView, Runtime } from "../runtime-records.ts";
import { screenText } from "../rows/wrap.ts";

/** The other holders and users of a module: `also held by rover`, `shared with ben (append)`. Empty if there are none. */
export type ModuleSharing = readonly string[];

/** Returns the sharing of each module that others use, by label. */
export async function readSharing(
  { modules, userId }: Pick<Runtime, "modules" | "userId">,
  agentId: string,
  held: readonly ModuleView[],
): Promise<ReadonlyMap<string, ModuleSharing>> {
  const sharing = new Map<string, ModuleSharing>();
  for (const module of held) {
    // Modules of another user's agent are not shared by themselves, but with their agent.
    if (module.ownerId !== userId && module.scope === "agent") continue;
    const others = (await modules.holders(module.id)).filter((holder) => holder.agentId !== agentId);
    const words = [
      ...(await grantWords({ modules, userId }, module)),
      ...(others.length === 0 ? [] : [`also held by ${others.map(({ agentName }) => oneLine(agentName)).join(", ")}`]),
    ];
    if (words.length > 0) sharing.set(module.label, words);
  }
  return sharing;
}

async function grantWords(
  { modules, userId }: Pick<Runtime, "modules" | "userId">,
  { id, ownerId }: ModuleView,
): Promise<readonly string[]> {
  if (ownerId !== userId) return [`of ${oneLine(ownerId)}, who lets you ${(await modules.find(id)).access}`];
  const recipients = await modules.recipients(id);
  const texts = recipients.map(
    ({ userId: other, access, state }) => `${oneLine(other)} (${state === "offered" ? `${access}, offered` : access})`,
  );
  return texts.length === 0 ? [] : [`shared with ${texts.join(", ")}`];
}

function oneLine(text: string): string {
  return screenText(text).replaceAll(/\s+/g, " ");
}
