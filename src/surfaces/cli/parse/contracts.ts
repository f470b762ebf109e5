// The contracts that commands take their options from.
// Invariant: imported with `await import()`, since help must load no contract; as one file, so that the bundle has one more.
export { identityContract } from "../../../runtime/identities/contract.ts";
export { keyContract } from "../../../runtime/keys/contract.ts";
export { mcpServerContract } from "../../../runtime/mcp-servers/contract.ts";
export { scheduleContract } from "../../../runtime/schedules/contract.ts";
