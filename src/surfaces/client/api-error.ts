// Defines the error for a request that a server refused.
// Invariant: it holds everything that the server reported about the failure in the form of RFC 9457.
import type { Problem } from "../http/problem.ts";

/** An invalid field of a request, such as `body.name`. */
export interface InvalidField {
  readonly field: string;
  readonly message: string;
}

export type ApiErrorDetails = Omit<ApiError, keyof Error>;

/** A failure that the server reports: it refused a request, or could not carry it out. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status of the answer, or the status in the last event of a failed stream. */
  readonly status: number;
  /**
   * The code, from the list of error codes. `http_error`: the answer is not an error of `/api`; it may come from a
   * proxy. `stream_ended`: the stream of events ended before the turn.
   */
  readonly code: string;
  /** The id of the request in the server's log; null if the answer had none. */
  readonly requestId: string | null;
  readonly fields: readonly InvalidField[];
  /** Data about the failure, such as the later edits for the code `dependent_edits`; `{}` for most codes. */
  readonly details: NonNullable<Problem["details"]>;
  /** Milliseconds to wait before another attempt; null if the server gave none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { status, code, requestId, fields, details, retryAfterMs }: ApiErrorDetails) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.fields = fields;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the error in a response that has a status of 400 or more. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return errorFrom(problemIn(text), {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
  });
}

/** Returns the error that the last event of a failed stream reports. */
export function streamError(data: string): ApiError {
  return errorFrom(problemIn(data), { status: 500, requestId: null, retryAfterMs: null });
}

export function streamEnded(): ApiError {
  const message = "The stream of events ended before the turn. Read the events of the turn again.";
  return errorFrom({ code: "stream_ended", detail: message }, { status: 502, requestId: null, retryAfterMs: null });
}

type Outer = Pick<ApiErrorDetails, "status" | "requestId" | "retryAfterMs">;

function errorFrom({ code, detail, status, requestId, errors, details }: Partial<Problem>, outer: Outer): ApiError {
  return new ApiError(
    detail ??
      `Expected an error of \`/api\`, got an answer with status ${outer.status} in another form. Check that the URL is the address of a Palimpsest server, and whether a proxy answered instead.`,
    {
      status: status ?? outer.status,
      code: code ?? "http_error",
      requestId: requestId ?? outer.requestId,
      fields: errors ?? [],
      details: details ?? {},
      retryAfterMs: outer.retryAfterMs,
    },
  );
}

/** Returns the fields of an error of `/api`; none for any other answer, such as that of a proxy. */
function problemIn(text: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
