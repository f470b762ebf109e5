// Runs before each test file. Jest gives every file a realm of its own, so errors of Node's modules (fs, net) are not
// `instanceof Error` there, as they are in a program. This makes them so; subclasses of Error are left as they are.
import { types } from "node:util";

const isInstance = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return (
      isInstance.call(this as (...args: never) => unknown, value) || (this === Error && types.isNativeError(value))
    );
  },
});
