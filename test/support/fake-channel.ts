// A connection that answers when the test says so, for what a real one does too seldom.
import { type Connection, createLoss, lostError } from "../../src/store/connection/connection-pool.ts";

export interface FakeChannel extends Connection {
  /** What was sent, in order. */
  readonly sent: string[];
  readonly closed: () => boolean;
  /** The connection goes, as one whose server was killed. */
  lose(): void;
}

// As the driver, it may leave a statement without an answer when the connection goes.

type Answer = (statement: string) => unknown;

/** `answer` gives what a statement resolves to (a promise is waited for), or throws. Default: its first word as the command. */
export function createFakeChannel(answer: Answer = commandOf): FakeChannel {
  const sent: string[] = [];
  const { isLost, lose, orLost } = createLoss();
  let isClosed = false;
  const answerTo = async (statement: string): Promise<unknown> => answer(statement);
  return {
    sent,
    send(statement) {
      if (isLost()) throw lostError();
      sent.push(statement);
      return answerTo(statement) as unknown as ReturnType<Connection["send"]>;
    },
    isLost,
    orLost,
    closed: () => isClosed,
    async close() {
      isClosed = true;
      lose();
    },
    lose,
  };
}

export function commandOf(statement: string): { readonly command: string } {
  return { command: statement.split(/[ ;]/u)[0]!.toUpperCase() };
}
