// The codes that programs branch on. A code is never renamed: a new one is added, and the old one stays while it can be thrown.
// The expected values are literal; none is imported from src.
import { errorCodes } from "../../src/base/errors.ts";
import { words } from "../support/words.ts";

test("the catalogue of errors has these codes and no others", () => {
  expect(Object.keys(errorCodes).sort()).toEqual(
    words(`
      agent_busy agent_exists agent_not_found approval_not_found approval_pending attachment_not_found
      backup_invalid buffer_invalid
      config_invalid consolidation_not_found consolidation_refused context_overflow conversation_not_found
      data_folder_invalid dependent_edits
      edit_mismatch embedder_unavailable embedding_dimensions_mismatch embedding_failed embedding_refused
      file_invalid file_too_large file_unreadable
      grant_ended
      identity_exists identity_not_found import_invalid input_forgotten input_invalid input_repeated
      input_taken_over
      key_not_found
      lease_lost
      mcp_server_exists mcp_server_not_found mcp_server_refused mcp_server_unreachable mcp_sign_in_failed
      memory_definition_invalid memory_type_unregistered message_not_found message_refused message_too_long
      model_auth model_protocol model_rate_limit model_reply_limit model_request model_timeout model_unavailable
      module_append_only module_exists module_invalid module_limit module_not_found module_read_only module_unknown
      node_memory_invalid nothing_to_resume
      objects_failed offer_not_found output_invalid
      passage_not_found pop_refused
      reembedding_refused result_not_awaited revision_conflict revision_not_found runtime_closing
      sandbox_off schedule_not_found source_exists source_file_unreadable source_not_found step_not_found
      store_closed store_extension_missing store_failed store_full store_locked store_schema_newer
      store_schema_unknown store_timeout store_unreachable summary_failed summary_refused synopsis_refused
      tool_definition_invalid tool_exists tool_failed tool_not_found tool_source_invalid turn_abandoned
      turn_budget_exceeded turn_not_found
      undo_refused user_limit_reached user_not_found
    `),
  );
});

test("every code has a sentence with its meaning", () => {
  for (const [code, meaning] of Object.entries(errorCodes))
    expect(`${code}: ${meaning}`).toMatch(/^[a-z_]+: [A-Z].+\.$/);
});
