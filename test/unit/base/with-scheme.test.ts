// The scheme that an address of this machine gets.
import { withScheme } from "../../../src/config/settings/forms.ts";

it.each([
  ["localhost:1234", "http://localhost:1234"],
  ["LocalHost:1234/v1", "http://LocalHost:1234/v1"],
  ["127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/"],
  ["[::1]:80", "http://[::1]:80"],
])("completes %s", (address, url) => {
  expect(withScheme(address)).toBe(url);
});

it.each([
  "localhost",
  "localhost:",
  "localhost:port",
  "192.168.1.5:1234",
  "localhost.evil.example:80",
  "ada:key@localhost:1234",
  "https://localhost:1234",
  "demo",
  "",
])("leaves %j unchanged", (address) => {
  expect(withScheme(address)).toBe(address);
});
