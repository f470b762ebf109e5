// Opens the observer of turns that makes OpenTelemetry spans.
// Invariant: the package is loaded only if the setting asks for it.
import type { ObserveTurn } from "../../agent/lease/running-turns.ts";
import { ConfigError } from "../../base/errors.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

const loadSpans = () => import("../telemetry/turn-spans.ts");

/** Returns the observer. Throws ConfigError if the package `@opentelemetry/api` is not installed. */
export async function openTelemetry(telemetry: "spans" | "content", load = loadSpans): Promise<ObserveTurn> {
  try {
    const { createTurnSpans } = await load();
    return createTurnSpans({ hasContent: telemetry === "content" });
  } catch (cause) {
    if (systemErrorCode(cause) !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ConfigError(
      `telemetry = "${telemetry}" needs the package @opentelemetry/api. Install it (npm install @opentelemetry/api), or set telemetry to "off".`,
      { cause },
    );
  }
}
