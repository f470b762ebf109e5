// All tables except those of simple records (schema/records.ts). `npm run generate` writes the migration in drizzle/ from
// these files and the SQL files beside them.
export { agentMessages } from "./schema/agent-messages.ts";
export { agentEmbedders, agents, grants, offers, users } from "./schema/agents.ts";
export { attachments, objectDeletions, objectParts } from "./schema/attachments.ts";
export { compactions, conversations, inputs, messages } from "./schema/conversations.ts";
export { consolidations } from "./schema/consolidations.ts";
export { forgettings } from "./schema/forgettings.ts";
export { laterStatements } from "./schema/later-statements.ts";
export { agentModules, moduleGrants, modules, revisions } from "./schema/modules.ts";
export { nodeMemories } from "./schema/node-memories.ts";
export { passages } from "./schema/passages.ts";
export { scheduleRuns, schedules } from "./schema/schedules.ts";
export { agentSources, sourceFiles, sources } from "./schema/sources.ts";
export { keys } from "./schema/keys.ts";
export { agentTools, mcpServers, storedTools } from "./schema/stored-tools.ts";
export { sweeps } from "./schema/sweeps.ts";
export { synopses } from "./schema/synopses.ts";
export { steps, toolCalls, turnEvents, turns } from "./schema/turns.ts";
