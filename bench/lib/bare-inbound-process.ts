/** A hand-written receiver of calls: `node:http`, the signature over the raw bytes, and one INSERT each. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { verifyBody } from '#src/infra/signing/webhook-signatures.ts';

const [url, secret = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

async function answer({ headers }: IncomingMessage, body: Buffer): Promise<number> {
  if (!verifyBody(body, String(headers['x-platform-signature']), [secret])) return 401;
  await pool.query({
    name: 'store',
    text: 'INSERT INTO bare_calls (event_id, body) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [headers['x-platform-id'], body.toString('utf8')],
  });
  return 202;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const event = JSON.stringify({ event_id: request.headers['x-platform-id'], duplicate: false });
    answer(request, Buffer.concat(chunks)).then(
      (status) => response.writeHead(status, { 'content-type': 'application/json' }).end(event),
      () => response.writeHead(500).end(),
    );
  });
});
await pool.query('CREATE TABLE bare_calls (event_id text PRIMARY KEY, body jsonb)');
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
