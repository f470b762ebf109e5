// Completes a stored tool with what its source code declares.
// Invariant: the source code is read in the sandbox, which parses it and does not run it.
import { RequestError } from "../../../base/errors.ts";
import type { StoredToolOptions } from "../../stored-tools/contract.ts";
import type { Sandbox } from "../../../tool/sandbox.ts";

/** The options, with what is read from the source code for those that are not given. */
export async function withDeclared<Options extends StoredToolOptions>(
  sandbox: Sandbox | null,
  options: Options,
): Promise<Options> {
  const { source, name } = options;
  if (source === undefined || source === null) return options;
  if (sandbox === null) throw sandboxOff();
  const { description, ...declared } = await sandbox.describe(source, name);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if (description.trim() === "" && options.description === undefined) throw withoutDescription(declared.name);
  return { ...declared, description, ...given } as Options;
}

function sandboxOff(): RequestError {
  const message =
    "A Python tool needs the sandbox, and it is off. Nothing was stored: set `sandbox` to namespaces, or give a tool without source code, which its caller runs.";
  return new RequestError("sandbox_off", message, { field: "source" });
}

function withoutDescription(name: string): RequestError {
  const message = `The source code of the tool: expected a docstring of ${name} that says what it does and when to use it, got none.`;
  return new RequestError("tool_source_invalid", message, { field: "source" });
}
