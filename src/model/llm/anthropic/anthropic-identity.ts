// States the name and address of Anthropic, and the environment variable of its API key.

export const anthropicIdentity = {
  id: "anthropic",
  brand: "Anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  keyOption: "anthropicApiKey",
  url: "https://api.anthropic.com",
} as const;
