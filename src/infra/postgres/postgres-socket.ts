import { Socket } from 'node:net';

/**
 * A socket to a server that ends every statement after `statementMs`; it ends itself, as an outage, after a sixth longer
 * without a byte either way. A server that vanishes (its host loses power, a firewall forgets the connection) closes nothing,
 * and what was sent to it is sent again for a quarter of an hour. Whoever still waits then waits for nobody. A timeout of
 * the query alone would leave what follows on the connection, the rollback first of all, waiting behind it.
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
