/** The state of the connection to the server, for what says that it is live. */
export interface Connection {
  state: 'live' | 'connecting' | 'offline';
  /** When the state began, in milliseconds. */
  since: number | undefined;
}

let connection: Connection = { state: 'connecting', since: undefined };
const listeners = new Set<() => void>();

export const readConnection = (): Connection => connection;

export function setConnection(state: Connection['state'], since: number): void {
  if (state === connection.state) return;
  connection = { state, since };
  for (const listener of listeners) listener();
}

export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
