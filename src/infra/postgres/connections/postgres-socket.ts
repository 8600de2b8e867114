import { Socket } from 'node:net';

/**
 * A socket to a server that ends every statement after `statementMs`. It fails as an outage after a sixth longer without a
 * byte in either direction. A server that vanishes (its host loses power, a firewall drops the connection) closes nothing,
 * and TCP retransmits to it for a quarter of an hour while callers wait. A timeout of the query alone would leave the next
 * statements on the connection, starting with the rollback, waiting behind it.
 */
export function postgresSocket(statementMs: number): Socket {
  const silenceMs = Math.ceil((statementMs * 7) / 6);
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => {
    const error = new Error(`The database has been silent for ${silenceMs} ms.`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
  return socket;
}
