// Checks what callers pass for an agent: its name, its id, its details, its settings, and the options of a list of agents.
// Invariant: nothing is read or written for invalid input.
import { codePointLength } from "../../base/code-points.ts";
import { ConfigError } from "../../base/errors.ts";
import type { AgentDetails, AgentSettings } from "../../store/port/records.ts";
import type { AgentQuery } from "../../store/port/agent-store.ts";
import type { AgentDetailOptions, AgentListOptions } from "./contract.ts";
import { addressFor } from "../operations/opening/agent-models.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { inputChecks } from "../operations/input-checks.ts";

const { id, description, json, range, tags } = inputChecks("An agent");

/** Returns the details as they are stored. Throws RequestError `input_invalid`. */
export function checkedDetails(given: AgentDetailOptions): Partial<AgentDetails> {
  return {
    ...(given.description === undefined ? {} : { description: description(given.description) }),
    ...(given.tags === undefined ? {} : { tags: tags(given.tags) }),
    ...(given.metadata === undefined ? {} : { metadata: json("metadata", given.metadata) }),
    ...(given.extensions === undefined ? {} : { extensions: json("extensions", given.extensions) }),
  };
}

/** Returns the details of a new agent, as `checkedDetails` returns them but without extensions that are null. */
export function newDetails(given: AgentDetailOptions): Partial<AgentDetails> {
  const details = checkedDetails(given);
  if (details.extensions === undefined) return details;
  const extensions = Object.entries(details.extensions).filter(([, value]) => value !== null);
  return { ...details, extensions: Object.fromEntries(extensions) };
}

/** Returns the id. Throws RequestError `input_invalid` for a text that is not a UUID in lower case. */
export const checkedAgentId: (id: string) => string = id;

/** Checks an agent's name. Throws ConfigError for an invalid one. */
export function checkAgentName(name: string): void {
  if (name.trim() === "" || codePointLength(name) > 100 || /[\p{Cc}/]/u.test(name)) {
    throw new ConfigError(
      `Expected an agent's name of 1 to 100 characters without control characters and without a slash (reserved for owner/name), got ${JSON.stringify(name.slice(0, 120))}.`,
    );
  }
}

/** Returns the query for a list of agents, with defaults for absent options. Throws RequestError `input_invalid`. */
export function agentQuery(options: AgentListOptions): AgentQuery {
  range(options);
  return { order: "oldest", limit: null, ...options };
}

/**
 * Returns the settings, with the full name of the model in `summarizer`. Throws ConfigError for an unknown or invalid
 * setting, or an unknown summarizer. `before`: the agent's current settings.
 */
export function requireSettings(
  { checkSettings, models }: Pick<OperationDeps, "checkSettings" | "models">,
  given: AgentSettings,
  model: string,
  before?: AgentSettings,
): AgentSettings {
  const settings = before === undefined ? checkSettings(given, before, model) : checkSettings(given, before);
  const { summarizer } = settings;
  if (summarizer === null) return settings;
  return { ...settings, summarizer: models.find(summarizer, addressFor({ model, settings }, summarizer)).name };
}
