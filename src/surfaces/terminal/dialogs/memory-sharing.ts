// With whom the modules of an agent are shared, for the `/memory` panel.
// Invariant: reads only; a module of another user never names that user's agents.
import type { ModuleView, Runtime } from "../runtime-records.ts";
import { screenText } from "../rows/wrap.ts";

/** Who else uses a module, in words: `also held by rover`, `shared with ben (append)`. Empty for one that nobody shares. */
export type ModuleSharing = readonly string[];

/** Returns the sharing of each module that others use, by label. */
export async function readSharing(
  { modules, userId }: Pick<Runtime, "modules" | "userId">,
  agentId: string,
  held: readonly ModuleView[],
): Promise<ReadonlyMap<string, ModuleSharing>> {
  const sharing = new Map<string, ModuleSharing>();
  for (const module of held) {
    // The modules of another user's agent are shared with the agent itself.
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
