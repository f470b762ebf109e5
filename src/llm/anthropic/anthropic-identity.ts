// How Anthropic is named, and where it is.

export const anthropicIdentity = {
  id: "anthropic",
  brand: "Anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  url: "https://api.anthropic.com",
} as const;
