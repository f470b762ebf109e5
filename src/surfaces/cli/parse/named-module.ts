// Finds the module, or the offered module, that the command line names by an id or a label.
// Invariant: a label of several modules throws a ConfigError with their ids.
import { ConfigError } from "../../../base/errors.ts";
import type { ModuleView } from "../../../runtime/memory/contract.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { CommandCall } from "../command.ts";
import type { HeldModule, ModuleOffer, SharedModule } from "../runtime-records.ts";

/** A sentence for help that says what MODULE can be. */
export const moduleNames =
  "MODULE is an id, or a label that only one module has; with --agent the label of a module of that agent.";
export const offerNames = "MODULE is the id of the offered module, or its label if only one has it.";

const maxSame = 100;
const idForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Returns a module by its id, by its label in the core memory of `--agent`, or by its unique label. Throws ConfigError. */
export async function namedModule(call: CommandCall, word: string): Promise<SharedModule> {
  return call.line.texts.agent === undefined ? moduleOfAny(call, word) : moduleOfAgent(call, word);
}

/** Returns a module by its id, or by its label in the core memory of the call's agent. Throws ConfigError. */
export async function moduleOfAgent(call: CommandCall, word: string): Promise<SharedModule> {
  const { modules } = await call.runtime();
  return modules.find(idForm.test(word) ? word : (await coreModule(call, word)).id);
}

/** Returns the module with this label in the core memory of the call's agent. Throws ConfigError with the existing labels. */
export async function coreModule(call: CommandCall, label: string): Promise<ModuleView> {
  const modules = await (await call.runtime()).memory.show(call.agent);
  const named = modules.find((module) => module.label === label);
  if (named !== undefined) return named;
  const labels = modules.map((module) => module.label).join(", ") || "none";
  throw new ConfigError(`"${call.agent}" has no module "${label}". It has: ${labels}.`);
}

/** Returns a module by its id, or by a label that only one module of the user has. Throws ConfigError. */
export async function moduleOfAny(call: CommandCall, word: string): Promise<SharedModule> {
  const { modules } = await call.runtime();
  if (idForm.test(word)) return modules.find(word);
  const [named, ...others] = await modules.list({ label: word, limit: maxSame });
  if (named !== undefined && others.length === 0) return named;
  if (named === undefined)
    throw new ConfigError(`There is no module "${word}". \`runtime.modules.list()\` lists the modules.`);
  const ids = [named, ...others].map(({ id }) => id).join(", ");
  throw new ConfigError(`Several modules are labelled "${word}". Name one by its id: ${ids}.`);
}

/** Returns an offer by the module's id, or by a label that only one offer has. Throws ConfigError. */
export async function offeredModule(call: CommandCall, word: string): Promise<ModuleOffer> {
  const offers = await (await call.runtime()).modules.offers();
  const [named, ...others] = offers.filter(({ moduleId, label }) => moduleId === word || label === word);
  if (named !== undefined && others.length === 0) return named;
  if (named === undefined)
    throw new ConfigError(`No module "${word}" is offered to you. \`runtime.modules.offers()\` lists the offers.`);
  const ids = [named, ...others].map(({ moduleId, ownerId }) => `${moduleId} of ${ownerId}`).join(", ");
  throw new ConfigError(`Several modules labelled "${word}" are offered to you. Name one by its id: ${ids}.`);
}

/** Returns the module with the user's agents that hold it and, for the user's own module, the users with whom it is shared. */
export async function heldModule({ modules }: Pick<Runtime, "modules">, module: SharedModule): Promise<HeldModule> {
  return {
    ...module,
    holders: await modules.holders(module.id),
    recipients: module.access === "own" ? await modules.recipients(module.id) : null,
  };
}
