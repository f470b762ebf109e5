// All routes of `/v1` about turns: messages, conversations, runs and steps.
// Invariant: a path with a fixed word comes before the one with a parameter in its place.
import type { Route } from "../../route.ts";
import { conversationMessageRoutes } from "./conversation-message-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { messageRoutes } from "./message-routes.ts";
import { recallRoutes } from "./recall-routes.ts";
import { runRoutes } from "./run-routes.ts";
import { stepRoutes } from "./step-routes.ts";
import { windowRoutes } from "./window-routes.ts";

export const turnRoutes: readonly Route[] = [
  ...messageRoutes,
  ...conversationRoutes,
  ...conversationMessageRoutes,
  ...runRoutes,
  ...stepRoutes,
  ...recallRoutes,
  ...windowRoutes,
];
