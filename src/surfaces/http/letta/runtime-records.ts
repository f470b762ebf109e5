// Names the types of the records that a runtime returns, because an API of the server (a door) depends only on the
// runtime's interface.
// Invariant: each type is derived from the function that returns the record.
import type { UserRuntime } from "../../../runtime/runtime.ts";

type Conversations = UserRuntime["conversations"];
type Turns = UserRuntime["turns"];

export type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;
export type Protocol = AgentRecord["protocol"];
export type Embedder = Awaited<ReturnType<UserRuntime["models"]["embedders"]>>[number];
export type Module = Awaited<ReturnType<UserRuntime["modules"]["find"]>>;
export type StoredTool = Awaited<ReturnType<UserRuntime["tools"]["find"]>>;
export type BuiltInTool = Awaited<ReturnType<UserRuntime["tools"]["builtIn"]>>[number];
export type Source = Awaited<ReturnType<UserRuntime["sources"]["show"]>>;
export type SourceFile = Awaited<ReturnType<UserRuntime["sources"]["files"]>>[number];
export type Identity = Awaited<ReturnType<UserRuntime["identities"]["find"]>>;
export type UserMcpServer = Awaited<ReturnType<UserRuntime["mcpServers"]["find"]>>;
export type ConversationRecord = Awaited<ReturnType<Conversations["find"]>>;
export type MessagePage = Awaited<ReturnType<Conversations["messages"]>>;
export type ConversationMessage = MessagePage["messages"][number];
export type ConversationCall = ConversationMessage["calls"][number];
export type FoundMessage = Awaited<ReturnType<Conversations["message"]>>;
export type TurnRecord = Awaited<ReturnType<Turns["find"]>>;
export type TurnState = TurnRecord["state"];
export type TurnStep = Awaited<ReturnType<Turns["findStep"]>>;
export type SearchHit = Awaited<ReturnType<UserRuntime["recall"]["search"]>>["hits"][number];
