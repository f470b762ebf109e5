// What commands print as JSON where it is not the record of the library.

type Values = Readonly<Record<string, unknown>>;

export const pick =
  (...names: readonly string[]) =>
  (value: object): Values =>
    Object.fromEntries(names.map((name) => [name, (value as Values)[name]]));

/** An agent, as every command prints it. */
export function agentShape(agent: Values & { readonly settings: { readonly baseUrl: string | null } }): Values {
  const { id, name, description, tags, model, protocol, memoryType, ownerId, createdAt, settings } = agent;
  return { id, name, description, tags, model, baseUrl: settings.baseUrl, protocol, memoryType, ownerId, createdAt };
}

/** An agent with its settings. */
export const agentDetails = (agent: Parameters<typeof agentShape>[0]): Values => ({
  ...agentShape(agent),
  ...pick("metadata", "settings", "systemPrompt")(agent),
});

/** Options as pairs of KEY and VALUE. */
export const pairs = (options: object): readonly string[] =>
  Object.entries(options).flatMap(([key, value]) => [
    key,
    value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value),
  ]);
