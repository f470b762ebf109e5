// Lists the options of `createRuntime` and `createHost`, with their checks. `configOf` checks the values of settings.
// Invariant: every option has a line here or is a setting; an option of another name is an error.
import {
  type ArgumentCheck,
  callback,
  list,
  nullable,
  optional,
  options,
  type OtherNames,
} from "../../../base/arguments/argument-checks.ts";
import { settingKeys } from "../../../config/settings.ts";
import { clock, embedder, model, pool, reranker } from "../../../base/arguments/port-checks.ts";
import type { RuntimeDeps } from "../host-deps.ts";
import { memoryClass, toolSelection } from "../../agents/part-checks.ts";

const parts: { readonly [Key in keyof Required<RuntimeDeps>]: ArgumentCheck } = {
  pool: optional(pool),
  memoryClasses: optional(list(memoryClass, "Pass `memoryClasses: [YourMemory]`, even for one class.")),
  tools: optional(toolSelection),
  models: optional(list(model, "Pass `models: [yourModel]`, even for one model; `model` names the model to use.")),
  embedder: optional(nullable(embedder)),
  embedders: optional(list(embedder, "Pass `embedders: [yourEmbedder]`, even for one embedder.")),
  reranker: optional(nullable(reranker)),
  limitsFor: optional(callback),
  clock: optional(clock),
  log: optional(callback),
};

const forKey = "Use `openaiApiKey` or `anthropicApiKey`.";
const forServer = "Use `databaseUrl`.";
const forFolder = "Use `dataDir`.";
const forAgent = 'Pass this option for one agent: agents.open("main", { create: { … } }).';
const otherNames: OtherNames = {
  apiKey: forKey,
  key: forKey,
  url: forServer,
  connectionString: forServer,
  database: forServer,
  dataFolder: forFolder,
  path: forFolder,
  dir: forFolder,
  folder: forFolder,
  baseURL: "Use `baseUrl`.",
  logger: "Use `log`, a function that receives one line of text.",
  user: "Use `userId`.",
  memory: "Use `memoryClasses` for your own memory classes; a memory belongs to an agent: agents.create({ memory }).",
  persona: forAgent,
  human: forAgent,
  systemPrompt: forAgent,
  name: forAgent,
};

const settingChecks = Object.fromEntries(settingKeys.map((key) => [key, () => undefined]));
const ofRuntime = options<Record<string, unknown>>({ ...settingChecks, ...parts }, { otherNames });

const { userId: _id, userIsolation: _isolation, ...hostSettings } = settingChecks;
const forUser = "A host serves many users: host.forUser(userId) returns the runtime of one.";
const ofHost = options<Record<string, unknown>>(
  { ...hostSettings, ...parts },
  { otherNames: { ...otherNames, userId: forUser, user: forUser, userIsolation: forUser } },
);

/** Throws ConfigError or DefinitionError for the first option that is unknown or has a value of the wrong shape. */
export function checkRuntimeOptions(given: unknown): void {
  ofRuntime(given, { of: "configuration", call: "createRuntime", field: "options", isArgument: true });
}

/** Throws the same errors as `checkRuntimeOptions`, for the options of a host. */
export function checkHostOptions(given: unknown): void {
  ofHost(given, { of: "configuration", call: "createHost", field: "options", isArgument: true });
}
