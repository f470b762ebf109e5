// The contracts that define the options of commands.
// Invariant: this file is imported only with `await import()`, because help must load no contract until it needs one.
// One file exports all contracts, so that the bundle gets only one more file.
export { identityContract } from "../../../runtime/identities/contract.ts";
export { keyContract } from "../../../runtime/keys/contract.ts";
export { mcpServerContract } from "../../../runtime/mcp-servers/contract.ts";
export { scheduleContract } from "../../../runtime/schedules/contract.ts";
