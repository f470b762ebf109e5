// Checks the code that a program passes to a runtime: tools and memory classes.
// Invariant: a tool or memory class of the wrong shape is refused when the program passes it, not later in a turn.
import { messageOf } from "../../base/thrown-values.ts";
import {
  type ArgumentCheck,
  type ArgumentPlace,
  checkThat,
  isPlainObject,
  list,
  optional,
  options,
  text,
  argumentError,
  faultOf,
} from "../../base/arguments/argument-checks.ts";
import { type Fields, isFunction, isName, isObject } from "../../base/arguments/port-checks.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import { toolCheck } from "../../tool/define-tool.ts";
import type { ToolSelection } from "../../tool/tool.ts";

const toolsByName: ArgumentCheck = (value, place) => {
  checkThat("an object that maps names of default tools to tools", isPlainObject)(value, place);
  for (const [name, tool] of Object.entries(value as Fields)) {
    toolCheck(tool, { ...place, of: "tool", field: `${place.field}.${name}`, isArgument: false });
  }
};

const selection = options<ToolSelection>({
  remove: optional(list(text)),
  replace: optional(toolsByName),
  add: optional(list(toolCheck, "Pass `add: [tool]`, even for one tool.")),
});

/** Checks a selection of tools: how an agent's tools differ from the defaults. */
export const toolSelection: ArgumentCheck = (value, place) => {
  const isOneTool = isObject(value) && ("run" in value || "execute" in value);
  if (Array.isArray(value) || isOneTool) {
    const expected = "an object with `add`, `remove` and `replace`";
    const remedy = `Pass ${place.field}: { add: [${Array.isArray(value) ? "…" : "tool"}] }.`;
    throw argumentError("tool", { ...place, expected, got: value, remedy });
  }
  selection(value, { ...place, of: "tool" });
};

export const memoryInstance = checkThat(
  "an instance of a memory class",
  (value) => isObject(value) && isFunction(value["toJSON"]) && isFunction(value["tools"]),
  "Pass `new YourMemory({ … })`, and its class in `memoryClasses` of createRuntime.",
);

/** Checks a subclass of BaseMemory: its constructor must accept empty options, and its tools must be valid. */
export const memoryClass: ArgumentCheck = (value, place) => {
  const at = { ...place, of: "memory" } as const;
  if (!isMemoryClass(value)) {
    const remedy = isObject(value) ? "Pass the class itself, not an instance." : "Extend BaseMemory or ChatMemory.";
    throw argumentError("memory", { ...at, expected: "a class that extends BaseMemory", got: value, remedy });
  }
  const memory = emptyMemory(value, at);
  const tools = memory.tools();
  list(toolCheck)(tools, { ...at, of: "tool", field: `${value.name}.tools()`, isArgument: false });
};

type RestorableClass = (new (init: object) => BaseMemory) & { readonly type: unknown };

function isMemoryClass(value: unknown): value is RestorableClass {
  return isFunction(value) && isFunction((value as unknown as Fields)["fromJSON"]) && "type" in (value as object);
}

function emptyMemory(memoryClass: RestorableClass, place: ArgumentPlace): BaseMemory {
  const { name } = memoryClass;
  if (!isName(memoryClass.type) || memoryClass.type === "base") {
    const advice = `Add \`static override readonly type = "…"\`, under which agents are stored.`;
    throw faultOf("memory", place.field, `${place.call}: the memory class ${name} has no type of its own. ${advice}`);
  }
  try {
    return new memoryClass({});
  } catch (error) {
    const advice = `Give every option a default: a memory is restored, copied and created for new users with \`new ${name}({})\`.`;
    const failure = messageOf(error).replace(/\.$/u, "");
    const of = name === "" ? `the memory class "${String(memoryClass.type)}"` : name;
    const problem = `${place.call}: the constructor of ${of} must accept empty options, but failed: ${failure}.`;
    throw faultOf("memory", place.field, `${problem} ${advice}`, error);
  }
}
