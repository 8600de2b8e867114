/** The minimum that a server can do for a block: `node:http`, bytes from memory, no key, no parameters. Setting (environment): HTML. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const html = Buffer.from(process.env['HTML'] ?? '');
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': html.length };

const server = createServer((_request, response) => response.writeHead(200, headers).end(html));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
