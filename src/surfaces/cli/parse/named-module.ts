// Finds the module, or the offer of one, that the command line names by an id or a label.
// Invariant: a label that several modules have names none of them.
import { ConfigError } from "../../../base/errors.ts";
import type { ModuleView } from "../../../runtime/memory/contract.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { CommandCall } from "../command.ts";
import type { HeldModule, ModuleOffer, SharedModule } from "../runtime-records.ts";

/** What MODULE can be, for help. */
export const moduleNames =
  "MODULE is an id, or a label that only one module has; with --agent the label of a module of that agent.";
export const offerNames = "MODULE is the id of the offered module, or its label if only one has it.";

const maxSame = 100;
const idForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** The module of an id, of a label of the given agent, or of a label that one module has. Throws ConfigError. */
export async function namedModule(call: CommandCall, word: string): Promise<SharedModule> {
  return call.line.texts.agent === undefined ? moduleOfAny(call, word) : moduleOfAgent(call, word);
}

/** The module of an id, or of a label of the call's agent. Throws ConfigError. */
export async function moduleOfAgent(call: CommandCall, word: string): Promise<SharedModule> {
  const { modules } = await call.runtime();
  return modules.find(idForm.test(word) ? word : (await coreModule(call, word)).id);
}

/** The module with this label in the core memory of the call's agent. Throws ConfigError with the labels that it has. */
export async function coreModule(call: CommandCall, label: string): Promise<ModuleView> {
  const modules = await (await call.runtime()).memory.show(call.agent);
  const named = modules.find((module) => module.label === label);
  if (named !== undefined) return named;
  const labels = modules.map((module) => module.label).join(", ") || "none";
  throw new ConfigError(`"${call.agent}" has no module "${label}". It has: ${labels}.`);
}

/** The module of an id, or of a label that only one module of the user has. Throws ConfigError. */
export async function moduleOfAny(call: CommandCall, word: string): Promise<SharedModule> {
  const { modules } = await call.runtime();
  if (idForm.test(word)) return modules.find(word);
  const [named, ...others] = await modules.list({ label: word, limit: maxSame });
  if (named !== undefined && others.length === 0) return named;
  if (named === undefined)
    throw new ConfigError(`There is no module "${word}". \`runtime.modules.list()\` lists them.`);
  const ids = [named, ...others].map(({ id }) => id).join(", ");
  throw new ConfigError(`Several modules are labelled "${word}". Name one by its id: ${ids}.`);
}

/** The offer of an id, or of a label that only one offer has. Throws ConfigError. */
export async function offeredModule(call: CommandCall, word: string): Promise<ModuleOffer> {
  const offers = await (await call.runtime()).modules.offers();
  const [named, ...others] = offers.filter(({ moduleId, label }) => moduleId === word || label === word);
  if (named !== undefined && others.length === 0) return named;
  if (named === undefined)
    throw new ConfigError(`No module "${word}" is offered to you. \`runtime.modules.offers()\` lists the offers.`);
  const ids = [named, ...others].map(({ moduleId, ownerId }) => `${moduleId} of ${ownerId}`).join(", ");
  throw new ConfigError(`Several modules labelled "${word}" are offered to you. Name one by its id: ${ids}.`);
}

/** The module with the user's agents that hold it and, if it is the user's own, the users with whom it is shared. */
export async function heldModule({ modules }: Pick<Runtime, "modules">, module: SharedModule): Promise<HeldModule> {
  return {
    ...module,
    holders: await modules.holders(module.id),
    recipients: module.access === "own" ? await modules.recipients(module.id) : null,
  };
}
