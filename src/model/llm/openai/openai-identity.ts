// Name, key variable and address of OpenAI.

export const openaiIdentity = {
  id: "openai",
  brand: "OpenAI",
  keyVariable: "OPENAI_API_KEY",
  keyOption: "openaiApiKey",
  url: "https://api.openai.com/v1",
} as const;
