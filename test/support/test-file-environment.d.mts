// The type of the environment beside, for its test.
export { TestEnvironment as default } from "jest-environment-node";
