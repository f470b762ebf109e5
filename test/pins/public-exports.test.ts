// The exported values, by entry. Adding or removing a name is a decision, and shows up in this file.
// The expected values are literal; none is imported from src.
import * as aiSdk from "../../src/exports/ai-sdk.ts";
import * as buffer from "../../src/exports/buffer.ts";
import * as client from "../../src/exports/client.ts";
import * as headless from "../../src/exports/headless.ts";
import * as main from "../../src/exports/index.ts";
import * as memoryTool from "../../src/exports/memory-tool.ts";
import * as nodeMemory from "../../src/exports/node-memory.ts";
import * as queryPlanner from "../../src/exports/query-planner.ts";
import * as testing from "../../src/exports/testing.ts";
import * as workingMemory from "../../src/exports/working-memory.ts";
import { words } from "../support/words.ts";

test.each([
  [
    "palimpsest",
    main,
    words(`
      BaseMemory
      ChatMemory ConfigError ContextOverflowError
      DefinitionError DependentEditsError
      EditMismatchError EmbeddingError
      FreeMemory
      LimitError
      MemoryModule ModelAuthError ModelError ModelProtocolError ModelRateLimitError ModelReplyLimitError
      ModelRequestError ModelTimeoutError ModelUnavailableError ModuleAppendOnlyError ModuleInvalidError
      ModuleLimitError ModuleNotFoundError ModuleReadOnlyError
      RequestError RevisionConflictError RuntimeError
      ScratchpadMemory StoreError
      ToolError
      configDefaults createHost createRuntime
      defineTool
      errorCodes
      loadConfig
      scratchpadSchema
      withFiles
    `),
  ],
  [
    "palimpsest/ai-sdk",
    aiSdk,
    words(`
      createUiMessageEncoder replayRun uiMessageChunks uiMessageResponse uiMessageStreamHeaders uiMessagesOf
    `),
  ],
  ["palimpsest/buffer", buffer, ["MessageBuffer", "buildAgentContext"]],
  ["palimpsest/client", client, ["ApiError", "createClient"]],
  ["palimpsest/headless", headless, ["streamInputSchema", "streamJsonVersion", "streamRecordSchema"]],
  ["palimpsest/memory-tool", memoryTool, ["memoryToolHandlers"]],
  ["palimpsest/node-memory", nodeMemory, ["extractThread"]],
  ["palimpsest/query-planner", queryPlanner, ["QueryPlanner"]],
  ["palimpsest/testing", testing, ["createScriptedModel"]],
  ["palimpsest/working-memory", workingMemory, ["WorkingMemory"]],
])("%s exports these values and no others", (_, entry, expected) => {
  expect(Object.keys(entry).sort()).toEqual(expected);
});
