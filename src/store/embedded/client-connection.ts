// One client of the embedded server: greets it, passes on what it says when it is its turn, and sends the answers back.
// Invariant: the backend only ever sees whole requests of kinds that it survives, and never one of a client that left.
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Backend, WireRequest } from "./backend.ts";
import type { BackendTurns } from "./backend-turns.ts";
import { answerProof, answerStart, type GreetingStep } from "./client-greeting.ts";
import { createMessageReader } from "./message-reader.ts";
import { createRequestReader } from "./request-reader.ts";
import { fatalMessage, wireMessage } from "./wire-message.ts";

/** What all clients share. */
export interface ServedBackend {
  readonly backend: Backend;
  readonly turns: BackendTurns;
  /** Demanded over TCP; a unix socket is protected by its folder. */
  readonly secret: string | undefined;
  /** The backend broke: nothing more can be served. */
  onBroken(cause: unknown): void;
}

/** Serves the socket until either side closes it. */
export function serveClient(socket: Socket, { backend, turns, secret, onBroken }: ServedBackend): void {
  const messages = createMessageReader();
  const requests = createRequestReader();
  const salt = randomBytes(4);
  let state: "start" | "proof" | "ready" | "gone" = "start";

  const end = (farewell?: Buffer): void => {
    if (state === "gone") return;
    state = "gone";
    turns.leave(client);
    if (farewell === undefined) {
      socket.destroy();
      return;
    }
    socket.end(farewell);
    // A client that was stopped never reads it.
    setTimeout(() => socket.destroy(), 1000).unref();
  };
  const client = {
    cutOff: () => end(cutMessage()),
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

  socket.setNoDelay(true);
  socket.on("data", (chunk) => {
    try {
      for (const message of messages.read(chunk)) {
        if (state === "start") greet(answerStart(message, secret, salt));
        else if (state === "proof") greet(answerProof(message, secret ?? "", salt));
        else if (message.type === "X") end();
        else if (state === "ready") runner.add(requests.read(message));
      }
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      end(fatalMessage("08P01", cause.message));
    }
    runner.run().catch(onBroken);
  });
  // A reset connection is closed next, which is all there is to know.
  socket.on("error", () => end());
  socket.on("close", () => end());
}

/**
 * Ends a transaction that held up others. A driver that has sent a statement meanwhile reports an error when it is ready again:
 * so the client knows that this statement, which may be its commit, was not carried out.
 */
function cutMessage(): Buffer {
  const reason = fatalMessage("25P03", "the connection held up others in the middle of a transaction");
  return Buffer.concat([reason, wireMessage("Z", "I")]);
}

/** Runs one client's requests one after the other, in the order in which they came. */
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
        // The client has left, and this stays marked as running: nothing of it is to be run any more.
        if (given === undefined) return;
        answer(given.bytes);
      }
      isRunning = false;
    },
  };
}
