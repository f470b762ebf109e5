// Serves one client of the embedded server: greets it, forwards its requests when it has the backend, and returns the
// answers.
// Invariant: the backend receives only complete requests of kinds that do not crash it, and none from a disconnected client.
// Messages of unknown kinds crash the engine, and are never forwarded.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import type { Backend, WireRequest } from "./backend.ts";
import type { BackendTurns } from "./backend-turns.ts";
import { type ClientMessage, createMessageReader } from "./message-reader.ts";
import { fatalMessage, md5RequestMessage, parsedName, queryMessage, startCodes, wireMessage } from "./wire-message.ts";

/** What the server gives to each of its client connections. */
export interface ServedBackend {
  readonly backend: Backend;
  readonly turns: BackendTurns;
  /** The secret that clients over TCP must know; a unix socket is protected by its folder's permissions. */
  readonly secret: string | undefined;
  /** Called when the backend is broken and can no longer serve. */
  onBroken(cause: unknown): void;
}

/** Serves the socket until either side closes it. */
export function serveClient(socket: Socket, { backend, turns, secret, onBroken }: ServedBackend): void {
  const messages = createMessageReader();
  const requests = createRequestReader();
  const salt = randomBytes(4);
  let state: "start" | "proof" | "ready" | "gone" = "start";

  const end = (finalMessage?: Buffer): void => {
    if (state === "gone") return;
    state = "gone";
    turns.leave(client);
    if (finalMessage === undefined) {
      socket.destroy();
      return;
    }
    socket.end(finalMessage);
    // Closes the socket after a second, because a suspended client would never read the final message.
    setTimeout(() => socket.destroy(), 1000).unref();
  };
  const statements = new Set<string>();
  const client = {
    cutOff: () => end(cutMessage()),
    statements,
  };
  const runner = createRunner(
    (request) => turns.run(client, request),
    (bytes) => void socket.write(bytes),
  );

  const greet = (step: GreetingStep): void => {
    if (step.kind === "leave") return end();
    if (step.kind === "refuse") return end(step.bytes);
    if (step.kind !== "reply") messages.startTyped();
    if (step.kind === "demand") state = "proof";
    if (step.kind === "welcome") state = "ready";
    socket.write(step.kind === "welcome" ? backend.greeting : step.bytes);
  };

  const receive = (message: ClientMessage): void => {
    if (message.type === "P") statements.add(parsedName(message.bytes));
    runner.add(requests.read(message));
  };

  socket.setNoDelay(true);
  socket.on("data", (chunk) => {
    try {
      for (const message of messages.read(chunk)) {
        if (state === "start") greet(answerStart(message, secret, salt));
        else if (state === "proof") greet(answerProof(message, secret ?? "", salt));
        else if (message.type === "X") end();
        else if (state === "ready") receive(message);
      }
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      end(fatalMessage("08P01", cause.message));
    }
    runner.run().catch(onBroken);
  });
  // A reset connection emits `error`, and then `close`.
  socket.on("error", () => end());
  socket.on("close", () => end());
}

/**
 * Returns the error for a client that blocked others inside a transaction. If the client sends a statement, such as its
 * commit, at that moment, its driver reports this error as the result, so the client knows that the statement was not run.
 */
function cutMessage(): Buffer {
  const reason = fatalMessage("25P03", "the client was silent inside a transaction while other clients waited");
  return Buffer.concat([reason, wireMessage("Z", "I")]);
}

/** Returns a queue that runs one client's requests in order of arrival. */
function createRunner(
  ask: (request: WireRequest) => Promise<{ readonly bytes: Buffer } | undefined>,
  answer: (bytes: Buffer) => void,
): { add(request: WireRequest | undefined): void; run(): Promise<void> } {
  const waiting: WireRequest[] = [];
  let isRunning = false;
  return {
    add(request) {
      if (request !== undefined) waiting.push(request);
    },
    async run() {
      if (isRunning) return;
      isRunning = true;
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
        const given = await ask(request);
        // The client has disconnected. `isRunning` stays true, so that no further request of the client is run.
        if (given === undefined) return;
        answer(given.bytes);
      }
      isRunning = false;
    },
  };
}

/** The server's response to a message of the greeting. `demand` requests the client's proof that it knows the secret. */
type GreetingStep =
  | { readonly kind: "reply" | "demand" | "refuse"; readonly bytes: Buffer }
  | { readonly kind: "welcome" }
  | { readonly kind: "leave" };

/**
 * Returns the response to the first message. If there is a secret, the response contains a salt, with which the client must
 * prove that it knows the secret.
 */
function answerStart({ bytes }: ClientMessage, secret: string | undefined, salt: Buffer): GreetingStep {
  const code = bytes.length < 8 ? 0 : bytes.readInt32BE(4);
  switch (code) {
    case startCodes.ssl:
    case startCodes.gss:
      return { kind: "reply", bytes: Buffer.from("N") };
    case startCodes.version3:
      return secret === undefined ? { kind: "welcome" } : { kind: "demand", bytes: md5RequestMessage(salt) };
    case startCodes.cancel:
      // Statements cannot be cancelled: the single backend runs each to its end before it reads the next message.
      return { kind: "leave" };
    default:
      return { kind: "refuse", bytes: fatalMessage("08P01", "expected version 3.0 of the PostgreSQL protocol") };
  }
}

/** Returns the response to the client's proof, `md5(md5(secret + user) + salt)`, which does not reveal the secret. */
function answerProof({ type, bytes }: ClientMessage, secret: string, salt: Buffer): GreetingStep {
  const inner = createHash("md5").update(`${secret}postgres`).digest("hex");
  const expected = Buffer.from(`md5${createHash("md5").update(inner).update(salt).digest("hex")}\0`);
  const given = bytes.subarray(5);
  const isRight = type === "p" && given.length === expected.length && timingSafeEqual(given, expected);
  if (isRight) return { kind: "welcome" };
  return { kind: "refuse", bytes: fatalMessage("28P01", "the secret of the data folder is missing or wrong") };
}

interface RequestReader {
  /** Returns the request that this message completes, if any. Throws RangeError for a message of an unknown kind. */
  read(message: ClientMessage): WireRequest | undefined;
}

// Types of messages that the server answers: Query, Sync and function call with ReadyForQuery, Flush with the output so far.
const ANSWERED = new Set(["Q", "S", "F", "H"]);
const UNANSWERED = new Set(["B", "C", "D", "E", "P", "c", "d", "f"]);

function createRequestReader(): RequestReader {
  let pieces: Buffer[] = [];
  return {
    read({ type, bytes }) {
      if (!ANSWERED.has(type) && !UNANSWERED.has(type))
        throw new RangeError(`Expected the type of a PostgreSQL client's message, got "${type}".`);
      pieces.push(refuseCopy(type, bytes));
      if (!ANSWERED.has(type)) return undefined;
      const request = { bytes: Buffer.concat(pieces), isFlush: type === "H" };
      pieces = [];
      return request;
    },
  };
}

// COPY FROM STDIN reads input while the statement runs. PGlite 0.5.14 cannot do this, and exits.
const COPY_FROM_STDIN = /(?:^|;)\s*copy\s[^;]*\sfrom\s+stdin\b/iu;
const REFUSAL =
  "do $$ begin raise exception using errcode = '0A000', " +
  "message = 'COPY FROM STDIN is not possible on the embedded engine: use INSERT'; end $$";

/** Returns the message unchanged; for COPY FROM STDIN, a message that raises an error in the backend. */
function refuseCopy(type: string, bytes: Buffer): Buffer {
  if (type === "Q" && COPY_FROM_STDIN.test(bytes.toString("latin1", 5))) return queryMessage(REFUSAL);
  if (type !== "P") return bytes;
  const nameEnd = bytes.indexOf(0, 5);
  if (nameEnd === -1 || !COPY_FROM_STDIN.test(bytes.toString("latin1", nameEnd + 1))) return bytes;
  const name = bytes.subarray(5, nameEnd + 1);
  return wireMessage("P", Buffer.concat([name, Buffer.from(`${REFUSAL}\0`), Buffer.from([0, 0])]));
}
