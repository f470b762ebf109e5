// The operations on MCP servers and on models of the fake runtime, which has no servers.
import type { Runtime } from "../../src/runtime/runtime.ts";

export function fakeMcp(notFaked: (name: string) => never): Runtime["mcp"] {
  return {
    servers: async () => [],
    questions: () => [],
    watchQuestions: () => undefined,
    answer: () => notFaked("mcp.answer"),
    readResource: () => notFaked("mcp.readResource"),
    readPrompt: () => notFaked("mcp.readPrompt"),
    signIn: () => notFaked("mcp.signIn"),
    signOut: () => notFaked("mcp.signOut"),
    trust: () => notFaked("mcp.trust"),
    distrust: () => notFaked("mcp.distrust"),
  };
}

export function fakeModels(notFaked: (name: string) => never): Runtime["models"] {
  return {
    list: () => notFaked("models.list"),
    find: () => notFaked("models.find"),
    priceOf: () => notFaked("models.priceOf"),
    embedders: () => notFaked("models.embedders"),
  };
}

export function notFaked(name: string): never {
  throw new Error(`${name} is not faked.`);
}
