// States the name and address of OpenAI, and the environment variable of its API key.

export const openaiIdentity = {
  id: "openai",
  brand: "OpenAI",
  keyVariable: "OPENAI_API_KEY",
  keyOption: "openaiApiKey",
  url: "https://api.openai.com/v1",
} as const;
