// What programs can import. A name that goes or comes is a decision, and this file is where it is seen.
// The expected side is spelled out; nothing of it is taken from src.
import * as palimpsest from "../../src/index.ts";
import * as testing from "../../src/testing.ts";

test("palimpsest exports these values and no others", () => {
  expect(Object.keys(palimpsest).sort()).toEqual([
    "BaseMemory",
    "ChatMemory",
    "ConfigError",
    "ContextOverflowError",
    "DefinitionError",
    "DependentEditsError",
    "EditMismatchError",
    "EmbeddingError",
    "MemoryModule",
    "MessageBuffer",
    "ModelAuthError",
    "ModelError",
    "ModelProtocolError",
    "ModelRateLimitError",
    "ModelReplyLimitError",
    "ModelRequestError",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "ModuleInvalidError",
    "ModuleLimitError",
    "ModuleNotFoundError",
    "ModuleReadOnlyError",
    "QueryPlanner",
    "RequestError",
    "RevisionConflictError",
    "RuntimeError",
    "ScratchpadMemory",
    "StoreError",
    "ToolError",
    "WorkingMemory",
    "configDefaults",
    "createRuntime",
    "defineTool",
    "errorCodes",
    "extractThread",
    "loadConfig",
    "scratchpadSchema",
    "streamInputSchema",
    "streamJsonVersion",
    "streamRecordSchema",
    "withFiles",
  ]);
});

test("palimpsest/testing exports these values and no others", () => {
  expect(Object.keys(testing).sort()).toEqual(["createScriptedModel"]);
});
