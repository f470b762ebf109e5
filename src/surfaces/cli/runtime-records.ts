// Names the types that a Runtime returns, and derives them from its signatures.
// Invariant: types only, so that the command line imports none of the runtime's dependencies.
import type { Runtime } from "../../runtime/runtime.ts";

export type Agent = Awaited<ReturnType<Runtime["agents"]["open"]>>;
export type LoggedStep = Awaited<ReturnType<Agent["step"]>>;
export type WindowReport = LoggedStep["report"];
export type AgentRecord = Agent["record"];
export type FormerAgent = Awaited<ReturnType<Runtime["agents"]["former"]>>[number];
export type Recipient = Awaited<ReturnType<Runtime["agents"]["recipients"]>>[number];
export type Compaction = Awaited<ReturnType<Agent["compactions"]>>[number];
export type Approval = Awaited<ReturnType<Runtime["approvals"]["list"]>>[number];
export type Revision = Awaited<ReturnType<Runtime["memory"]["revisions"]>>[number];
export type RevisionCause = Awaited<ReturnType<Runtime["memory"]["cause"]>>;
export type UndoneRevision = NonNullable<Awaited<ReturnType<Runtime["memory"]["undo"]>>>;
export type ModuleDiff = Awaited<ReturnType<Runtime["memory"]["diff"]>>;
export type FoundPage = Awaited<ReturnType<Runtime["recall"]["search"]>>;
export type ExternalObjects = Awaited<ReturnType<Runtime["backup"]>>["external"][number];
export type UserUsage = Awaited<ReturnType<Runtime["listUsage"]>>[number];
export type OptimizeReport = Awaited<ReturnType<Runtime["optimize"]>>;
export type OptimizedTable = OptimizeReport["tables"][number];
export type Sweep = Awaited<ReturnType<Runtime["retention"]["apply"]>>;
export type Schedule = Awaited<ReturnType<Runtime["schedules"]["create"]>>;
export type ScheduledRun = Awaited<ReturnType<Runtime["schedules"]["runs"]>>[number];
export type FoundPassages = Awaited<ReturnType<Runtime["archival"]["search"]>>;
export type ArchivalOptions = NonNullable<Parameters<Runtime["archival"]["search"]>[2]>;
export type PassageInput = Parameters<Runtime["archival"]["import"]>[1][number];
export type Passage = Awaited<ReturnType<Runtime["archival"]["list"]>>[number];
export type AgentEmbeddings = Awaited<ReturnType<Runtime["embeddings"]["list"]>>[number];
export type EmbeddingState = NonNullable<AgentEmbeddings["searched"]>;
export type Reembedding = Awaited<ReturnType<Runtime["embeddings"]["reembed"]>>;
export type DroppedVectors = Awaited<ReturnType<Runtime["embeddings"]["dropOld"]>>;
export type Source = Awaited<ReturnType<Runtime["sources"]["show"]>>;
export type SourceFile = Awaited<ReturnType<Runtime["sources"]["files"]>>[number];
export type SourceLoadResult = Awaited<ReturnType<Runtime["sources"]["load"]>>;
export type Synopsis = Awaited<ReturnType<Runtime["synopsis"]["show"]>>;
export type AgentMessage = Awaited<ReturnType<Runtime["agentMessages"]["list"]>>[number];
export type Consolidation = Awaited<ReturnType<Runtime["consolidation"]["find"]>>;
export type PlannedContext = Awaited<ReturnType<Runtime["getContext"]>>;
export type ForgetRequest = Parameters<Runtime["forget"]["preview"]>[0];
export type ForgetPreview = Awaited<ReturnType<Runtime["forget"]["preview"]>>;
export type ForgottenPlace = ForgetPreview["places"][number];
export type ForgettingRecord = Awaited<ReturnType<Runtime["forget"]["list"]>>[number];
export type SharedModule = Awaited<ReturnType<Runtime["modules"]["find"]>>;
export type ModuleHolder = Awaited<ReturnType<Runtime["modules"]["holders"]>>[number];
export type ModuleRecipient = Awaited<ReturnType<Runtime["modules"]["recipients"]>>[number];
export type ModuleOffer = Awaited<ReturnType<Runtime["modules"]["offers"]>>[number];

/** A module, the agents that hold it, and the users with whom it is shared (`recipients`; null for another user's module). */
export interface HeldModule extends SharedModule {
  readonly holders: readonly ModuleHolder[];
  readonly recipients: readonly ModuleRecipient[] | null;
}
export type ExportFormName = Parameters<Runtime["imports"]["run"]>[2]["form"];
export type Skill = Awaited<ReturnType<Runtime["skills"]["find"]>>;
export type MemoryFile = Awaited<ReturnType<Runtime["memoryFiles"]["list"]>>[number];
export type MemoryFileChange = Awaited<ReturnType<Runtime["memoryFiles"]["history"]>>[number];
