// Names for what a Runtime hands out, taken from its own declaration: the command line sees nothing behind it.
import type { Runtime } from "../runtime.ts";

export type Agent = Awaited<ReturnType<Runtime["agents"]["open"]>>;
export type LoggedStep = Awaited<ReturnType<Agent["step"]>>;
export type WindowReport = LoggedStep["report"];
export type AgentRecord = Agent["record"];
export type Compaction = Awaited<ReturnType<Agent["compactions"]>>[number];
export type UndoneCompaction = Awaited<ReturnType<Agent["undoCompaction"]>>;
export type Conversation = Awaited<ReturnType<Runtime["conversations"]["list"]>>[number];
export type Branch = Awaited<ReturnType<Runtime["conversations"]["branches"]>>[number];
export type Approval = Awaited<ReturnType<Runtime["approvals"]["list"]>>[number];
export type Revision = Awaited<ReturnType<Runtime["memory"]["revisions"]>>[number];
export type UndoneRevision = NonNullable<Awaited<ReturnType<Runtime["memory"]["undo"]>>>;
export type ModuleDiff = Awaited<ReturnType<Runtime["memory"]["diff"]>>;
export type FoundPage = Awaited<ReturnType<Runtime["recall"]["search"]>>;
export type PassagePage = Awaited<ReturnType<Runtime["archival"]["list"]>>;
export type OptimizeReport = Awaited<ReturnType<Runtime["optimize"]>>;
export type OptimizedTable = OptimizeReport["tables"][number];
export type Sweep = Awaited<ReturnType<Runtime["retention"]["apply"]>>;
export type FoundPassages = Awaited<ReturnType<Runtime["archival"]["search"]>>;
export type ArchivalOptions = NonNullable<Parameters<Runtime["archival"]["search"]>[2]>;
export type PassageInput = Parameters<Runtime["archival"]["import"]>[1][number];
export type Passage = PassagePage["rows"][number];
export type Source = Awaited<ReturnType<Runtime["sources"]["show"]>>;
export type SourceFile = Awaited<ReturnType<Runtime["sources"]["files"]>>[number];
export type SourceLoad = Awaited<ReturnType<Runtime["sources"]["load"]>>;
export type Synopsis = Awaited<ReturnType<Runtime["synopsis"]["show"]>>;
