// Name, key variable and address of Anthropic.

export const anthropicIdentity = {
  id: "anthropic",
  brand: "Anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  keyOption: "anthropicApiKey",
  url: "https://api.anthropic.com",
} as const;
