// What the runtime loads when agents are first moved.
export { exportAgentFile } from "./export-agent-file.ts";
export { importAgentFile } from "./import-agent-file.ts";
export { importLettaDatabase } from "./import-letta-database.ts";
