// What the runtime loads when an agent file is first written or read.
export { exportAgentFile } from "./export-agent-file.ts";
export { importAgentFile } from "./import-agent-file.ts";
