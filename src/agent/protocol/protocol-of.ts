// The rules of each protocol, by the name that an agent is stored with.
// Invariant: every name that an agent can have has its rules.
import type { Protocol } from "../../memory/records.ts";
import { heartbeatProtocol } from "./heartbeat.ts";
import { nativeProtocol } from "./native.ts";
import type { ProtocolRules } from "./protocol.ts";

const protocols: Readonly<Record<Protocol, ProtocolRules>> = { native: nativeProtocol, heartbeat: heartbeatProtocol };

/** The rules by which an agent of this protocol speaks. */
export function protocolOf(name: Protocol): ProtocolRules {
  return protocols[name];
}
