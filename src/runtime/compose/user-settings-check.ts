// Checks the settings that the users of a host give their agents.
// Invariant: the host's key and its users' messages are sent to no server that the operator has not allowed, and no request of
// a user reaches an address in the operator's network.
import type { Config } from "../../config/settings.ts";
import { checkAgentSettings } from "../../config/agent-settings.ts";
import { RequestError } from "../../base/errors.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

export function createUserSettingsCheck({
  userModelServers,
  baseUrl: configured,
}: Pick<Config, "userModelServers" | "baseUrl">): OperationDeps["checkSettings"] {
  return (given, before) => {
    const checked = checkAgentSettings(given);
    const { baseUrl } = checked;
    const isAllowed = userModelServers === "any" || [null, configured, before?.baseUrl].includes(baseUrl);
    if (isAllowed) return checked;
    throw new RequestError(
      "input_invalid",
      '`baseUrl`: expected the server that this host is configured with, or none, got another server. The operator can allow other servers with userModelServers = "any".',
    );
  };
}
