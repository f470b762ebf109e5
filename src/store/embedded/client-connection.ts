// Serves one client of the embedded server: greets it, forwards its requests when it has the backend, and returns the
// answers.
// Invariant: the backend only receives complete requests of kinds that it survives, and none of a disconnected client.
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Backend, WireRequest } from "./backend.ts";
import type { BackendTurns } from "./backend-turns.ts";
import { answerProof, answerStart, type GreetingStep } from "./client-greeting.ts";
import { type ClientMessage, createMessageReader } from "./message-reader.ts";
import { createRequestReader } from "./request-reader.ts";
import { fatalMessage, parsedName, wireMessage } from "./wire-message.ts";

/** Objects shared by all clients. */
export interface ServedBackend {
  readonly backend: Backend;
  readonly turns: BackendTurns;
  /** Required over TCP; a unix socket is protected by its folder's permissions. */
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
    // A suspended client would never read it.
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
  // A close event follows a reset connection and is handled.
  socket.on("error", () => end());
  socket.on("close", () => end());
}

/**
 * Ends a transaction that blocked others. If the driver has sent a statement meanwhile, it reports this error for it:
 * so the client knows that this statement, which may be its commit, was not executed.
 */
function cutMessage(): Buffer {
  const reason = fatalMessage("25P03", "the connection blocked others in the middle of a transaction");
  return Buffer.concat([reason, wireMessage("Z", "I")]);
}

/** Runs one client's requests in order of arrival. */
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
        // The client has disconnected, and this stays marked as running, so nothing more of it is run.
        if (given === undefined) return;
        answer(given.bytes);
      }
      isRunning = false;
    },
  };
}
