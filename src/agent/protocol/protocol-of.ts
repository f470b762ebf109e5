// Maps a protocol's stored name to its rules.
// Invariant: every protocol name has rules.
import type { Protocol } from "../../store/port/records.ts";
import { heartbeatProtocol } from "./heartbeat.ts";
import { nativeProtocol } from "./native.ts";
import type { ProtocolRules } from "./protocol.ts";

const protocols: Readonly<Record<Protocol, ProtocolRules>> = { native: nativeProtocol, heartbeat: heartbeatProtocol };

export function protocolOf(name: Protocol): ProtocolRules {
  return protocols[name];
}
