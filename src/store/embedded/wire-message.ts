// Encodes and reads messages of PostgreSQL's frontend/backend protocol (version 3): only those that this folder's code needs.
// Invariant: pure, without connections. Formats: https://www.postgresql.org/docs/current/protocol-message-formats.html

/** Codes that the first message of a connection can have: the protocol's version, or one of three requests. */
export const startCodes = { version3: 196_608, cancel: 80_877_102, ssl: 80_877_103, gss: 80_877_104 } as const;

/** Returns a message with its type byte and its length. */
export function wireMessage(type: string, body: Buffer | string = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const message = Buffer.alloc(5 + bytes.length);
  message.write(type, 0, "latin1");
  message.writeInt32BE(4 + bytes.length, 1);
  bytes.copy(message, 5);
  return message;
}

export function queryMessage(sql: string): Buffer {
  return wireMessage("Q", `${sql}\0`);
}

/** Returns a message that closes a prepared statement, and has no effect if there is no such statement. */
export function closeMessage(statement: string): Buffer {
  return wireMessage("C", `S${statement}\0`);
}

/** Returns the name in a Parse message; empty for the unnamed statement. */
export function parsedName(message: Buffer): string {
  const end = message.indexOf(0, 5);
  return message.toString("utf8", 5, end === -1 ? 5 : end);
}

/** Returns the first message of a connection. */
export function startupMessage(username: string, database: string): Buffer {
  const body = Buffer.from(`user\0${username}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(startCodes.version3, 4);
  return Buffer.concat([head, body]);
}

/** Returns an error message after which the server closes the connection. */
export function fatalMessage(code: string, text: string): Buffer {
  return wireMessage("E", `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
}

/** Returns a request for `md5(md5(password + user) + salt)`. */
export function md5RequestMessage(salt: Buffer): Buffer {
  return wireMessage("R", Buffer.concat([Buffer.from([0, 0, 0, 5]), salt]));
}

/** Returns the status in an answer's final ReadyForQuery, if any. `transaction`: open, or failed and not yet rolled back. */
export function readyStatus(answer: Buffer): "idle" | "transaction" | undefined {
  const last = answer.subarray(-6);
  if (last.length < 6 || last[0] !== 0x5a || last.readInt32BE(1) !== 5) return undefined;
  return last[5] === 0x49 ? "idle" : "transaction";
}
