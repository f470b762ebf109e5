// Which addresses users may give for their MCP servers, from the registries of special-purpose addresses.
import { isPublicAddress } from "../../../src/base/public-address.ts";
import { words } from "../../support/words.ts";

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::a00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:a00:1::1",
  "3fff::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1%eth0",
  "ff02::1",
  "localhost",
  "",
])("isPublicAddress refuses %s", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(words("1.1.1.1 9.255.255.255 11.0.0.1 100.63.255.255 172.32.0.1 223.255.255.255 2606:4700::1111"))(
  "isPublicAddress accepts %s",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);
