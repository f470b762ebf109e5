// Where a stored file of a message is, and the route that returns its content.

export interface FilePlace {
  readonly agent: string;
  readonly conversation: string;
  readonly attachment: string;
}

export const fileRoute = "GET /agents/:agent/conversations/:conversation/files/:attachment" as const;
