// Decides whether an IP address or a host name is public: it does not belong to this machine or its network, and no standard
// reserves it.
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** The IPv4 ranges of IANA's special-purpose registry, and multicast. */
const reserved4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Ranges in 2000::/3 that contain IPv4 addresses or are for documentation. No address outside of 2000::/3 is public. */
const reserved6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const refused4 = listOf(reserved4, "ipv4");
const refused6 = listOf(reserved6, "ipv6");
const global6 = listOf([["2000::", 3]], "ipv6");

/** Names without a dot, and names that only this machine or its network resolves (RFC 6761, 6762, 8375, ICANN's `internal`). */
const localName = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid)$/u;

/**
 * Returns whether the host of a URL can be public: it is a public address, or a name that is not local. The address that a name
 * resolves to is checked where the socket is opened.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/gu, "").replace(/\.$/u, "");
  return isIP(host) === 0 ? !localName.test(host) : isPublicAddress(host);
}

/** Returns whether a provider may be asked to fetch a file from this URL. */
export function isFetchable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  return protocol === "https:" && username === "" && password === "" && isPublicHost(hostname);
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !refused6.check(address, "ipv6");
}

function listOf(subnets: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family);
  return list;
}
