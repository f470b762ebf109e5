// The codes that programs branch on. A code is never renamed: a new one is added, and the old one stays while it can be thrown.
// The expected side is spelled out; nothing of it is taken from src.
import { errorCodes } from "../../src/errors.ts";

test("the catalogue of errors has these codes and no others", () => {
  expect(Object.keys(errorCodes).sort()).toEqual([
    "agent_busy",
    "agent_exists",
    "agent_not_found",
    "approval_not_found",
    "approval_pending",
    "attachment_not_found",
    "backup_invalid",
    "buffer_invalid",
    "config_invalid",
    "context_overflow",
    "conversation_not_found",
    "edit_mismatch",
    "edits_stand_on",
    "embedder_unavailable",
    "embedding_failed",
    "embedding_width",
    "file_invalid",
    "file_too_large",
    "file_unreadable",
    "input_adopted",
    "input_invalid",
    "input_repeated",
    "lease_lost",
    "memory_definition_invalid",
    "memory_type_unregistered",
    "message_not_found",
    "message_refused",
    "model_auth",
    "model_protocol",
    "model_rate_limit",
    "model_request",
    "model_timeout",
    "model_unavailable",
    "module_invalid",
    "module_limit",
    "module_not_found",
    "module_read_only",
    "nothing_to_resume",
    "objects_failed",
    "pop_refused",
    "revision_conflict",
    "revision_not_found",
    "step_not_found",
    "store_extension_missing",
    "store_failed",
    "store_folder",
    "store_locked",
    "store_schema_newer",
    "store_unreachable",
    "summary_failed",
    "summary_refused",
    "tool_definition_invalid",
    "tool_failed",
    "turn_budget",
    "undo_refused",
    "user_not_found",
  ]);
});

test("every code says in a sentence what it means", () => {
  for (const [code, meaning] of Object.entries(errorCodes))
    expect(`${code}: ${meaning}`).toMatch(/^[a-z_]+: [A-Z].+\.$/);
});
