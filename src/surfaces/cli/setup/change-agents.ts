// Offers to give the chosen model to the agents that still use the former one.
// Invariant: nothing changes without a yes; agents of other users are not touched.
import type { ModelChoice } from "../../../runtime/setup.ts";
import type { CommandCall } from "../command.ts";
import { isYes } from "../confirm.ts";
import { listedNames } from "./model-names.ts";
import type { Questions } from "./questions.ts";

/** The model that was configured before the choice. */
export interface FormerModel {
  readonly model: string;
  readonly baseUrl: string | null;
}

export async function offerToChangeAgents(
  call: CommandCall,
  questions: Questions,
  { former, choice }: { readonly former: FormerModel; readonly choice: ModelChoice },
): Promise<void> {
  const { model, baseUrl, assist } = choice;
  const { agents, userId } = await call.runtime();
  const own = (await agents.list()).filter(({ ownerId }) => ownerId === userId);
  const using = own.filter((agent) => agent.model === former.model && agent.settings.baseUrl === former.baseUrl);
  if (using.length === 0 || (model === former.model && baseUrl === former.baseUrl)) return;
  const names = listedNames(using.map(({ name }) => name));
  const they = using.length === 1 ? `The agent ${names} still uses` : `${using.length} agents still use`;
  questions.say(`\n${they} ${former.model}${using.length === 1 ? "" : `: ${names}`}.`);
  const answer = await questions.ask(`y gives ${using.length === 1 ? "it" : "them"} ${model}, Enter changes nothing: `);
  if (!isYes(answer)) return;
  for (const { name } of using) {
    await agents.setModel(name, model, { baseUrl });
    if (assist !== undefined) await agents.update(name, { assist });
  }
  questions.say(`Changed ${names}.`);
}
