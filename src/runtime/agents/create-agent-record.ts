// Creates an agent: its settings, its prompt and its first core memory.
// Invariant: invalid options are refused before anything is written.
import { codePointLength } from "../../base/code-points.ts";
import { ConfigError, RequestError } from "../../base/errors.ts";
import type { BaseMemory, MemoryClass } from "../../memory/core/base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "../../memory/core/chat-memory.ts";
import { MemoryModule, type ModuleState } from "../../memory/core/memory-module.ts";
import { maxModules, tooManyModules } from "../../store/port/shared-module-store.ts";
import type { NewAgent } from "../../store/port/agent-store.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { defaultSystemPrompt } from "../../context/prompts/load-prompt.ts";
import type { CreateAgentOptions } from "./contract.ts";
import { checkAgentName, checkedAgentId, newDetails, requireSettings } from "./agent-inputs.ts";
import { addressOrNull } from "../operations/opening/agent-models.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { checkedSystemPrompt } from "./system-prompt.ts";
import { requireRoomForAgents } from "../operations/user-maximum.ts";

type AgentRecordDeps = Pick<
  OperationDeps,
  "store" | "registry" | "defaults" | "maximum" | "checkSettings" | "models" | "ids" | "warn"
>;

/**
 * Creates an agent and returns its record. Throws ConfigError for an invalid name or setting, an unknown model or a
 * text over its limit; RequestError `agent_exists` for a name in use, `input_invalid` for a system prompt that is blank or
 * too long, and `user_limit_reached`.
 */
export async function createAgentRecord(deps: AgentRecordDeps, options: CreateAgentOptions): Promise<AgentRecord> {
  const { defaults, store, ids } = deps;
  checkAgentName(options.name);
  const details = newDetails(options);
  const name = options.model ?? defaults.model;
  const given = options.settings?.baseUrl;
  const baseUrl = addressOrNull(name, given === undefined ? defaults.settings.baseUrl : given);
  // Stores the model's full name, because the relative path of a model file means another file in another working folder.
  const model = deps.models.find(name, baseUrl).name;
  const memory = initialMemory(deps, options);
  const protocol = options.protocol ?? defaults.protocol;
  const coreMemoryLimit = options.coreMemoryLimit ?? defaults.settings.coreMemoryLimit;
  const settings = requireSettings(
    deps,
    { ...defaults.settings, ...options.settings, baseUrl, coreMemoryLimit },
    model,
  );
  const systemPrompt =
    options.systemPrompt === undefined
      ? defaultSystemPrompt(protocol)
      : await checkedSystemPrompt(deps, { model, settings }, options.systemPrompt);
  const state = memory.toJSON();
  await requireRoomForAgents(deps, 1);
  reportEmptyMemory(deps, options);
  return store.agents.create({
    ...details,
    id: options.id === undefined ? ids.next() : checkedAgentId(options.id),
    name: options.name,
    model,
    protocol,
    memoryType: state.type,
    systemPrompt,
    settings,
    ...(await modulesOf(store, state.modules, options.modules ?? [])),
  });
}

/** Returns the modules of the memory class and the given modules, which replace class modules with the same label. */
async function modulesOf(
  store: AgentRecordDeps["store"],
  ofClass: readonly ModuleState[],
  given: NonNullable<CreateAgentOptions["modules"]>,
): Promise<Pick<NewAgent, "modules" | "attached">> {
  if (given.length > maxModules) throw tooManyModules(given.length);
  const attached = given.filter((module) => typeof module === "string");
  const found = await Promise.all(attached.map((id) => store.sharedModules.find(id)));
  const added = given.flatMap((module) =>
    typeof module === "string" ? [] : [new MemoryModule({ ...module, scope: scopeOf(ofClass, module.label) }).toJSON()],
  );
  const labels = [...added, ...found.flatMap((module) => module ?? [])].map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  if (twice !== undefined)
    throw new RequestError("module_exists", `Two modules of one agent are labelled "${twice}". Nothing was created.`);
  const kept = ofClass.filter(({ label }) => !labels.includes(label));
  return { modules: [...kept, ...added], ...(attached.length === 0 ? {} : { attached }) };
}

function scopeOf(ofClass: readonly ModuleState[], label: string): ModuleState["scope"] {
  return ofClass.find((module) => module.label === label)?.scope ?? "user";
}

/**
 * Warns that a new agent has no text about itself and none about the user. This is not an error, because a program may write
 * both texts later. An agent with a persona or human text, even an empty one, or with its own prompt or memory is not reported.
 */
function reportEmptyMemory(
  { warn }: Pick<OperationDeps, "warn">,
  { name, persona, human, systemPrompt, memory, memoryType, modules }: CreateAgentOptions,
): void {
  if ([persona, human, systemPrompt, memory, memoryType, modules].some((given) => given !== undefined)) return;
  warn(
    `"${name}" is created with an empty persona and an empty human module, so it knows nothing of itself or the user. Pass \`persona\` and \`human\`; empty texts turn off this warning.`,
  );
}

function initialMemory(
  { registry, defaults }: Pick<OperationDeps, "registry" | "defaults">,
  options: CreateAgentOptions,
): BaseMemory {
  if (options.memory !== undefined) {
    registry.classOf(options.memory.toJSON().type);
    return options.memory;
  }
  const limit = options.coreMemoryLimit ?? defaults.settings.coreMemoryLimit;
  const texts = { persona: options.persona ?? "", human: options.human ?? "" };
  for (const [label, text] of Object.entries(texts)) checkLength(label, text, limit);
  return newMemory(registry.classOf(options.memoryType ?? ChatMemory.type), { ...texts, limit });
}

function checkLength(label: string, text: string, limit: number): void {
  const length = codePointLength(text);
  if (length > limit) {
    throw new ConfigError(
      `Expected at most ${limit} characters for ${label}, got ${length}. Shorten the text, or raise \`coreMemoryLimit\`.`,
    );
  }
}

/** Constructs a memory of the class. A class other than ChatMemory may ignore some of the options. */
export function newMemory(memoryClass: MemoryClass, init: ChatMemoryOptions): BaseMemory {
  return new (memoryClass as unknown as new (init: ChatMemoryOptions) => BaseMemory)(init);
}
