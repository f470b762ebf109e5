// Parameters of the statements that begin with `inNeed`, after the user.
import { storableJson, storableText } from "../../base/code-points.ts";
import type { VectorNeed } from "../port/embedder-store.ts";
import type { SqlParameter } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";

/** Returns embedder, roles, whether it is the default, and agents. */
export function needParameters({ embedder, roles, isDefault, agentIds }: VectorNeed): readonly SqlParameter[] {
  const agents = agentIds === undefined ? null : storableJson(agentIds.filter(isUuid));
  return [storableText(embedder), storableJson(roles), isDefault, agents];
}
