// `palimpsest/memory-tool`: Anthropic's memory tool on an agent's memory, for programs of `@anthropic-ai/sdk`.
export {
  type MemoryCommandRunner,
  type MemoryToolHandlers,
  memoryToolHandlers,
  type SentMemoryCommand,
} from "../model/llm/anthropic/memory-tool-handlers.ts";
