// Name, key variable and address of Anthropic.

export const anthropicIdentity = {
  id: "anthropic",
  brand: "Anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  url: "https://api.anthropic.com",
} as const;
