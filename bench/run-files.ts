import { createHash, type Hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { measureFileMemory } from './lib/file-memory.ts';

/**
 * Measures the peak memory of a worker whose workflow fetches a file from one server and sends it to another, compared with a file of 1 MiB.
 * `node bench/run-files.ts [MiB=1024]`
 */
const [mebibytes = 1_024] = process.argv.slice(2).map(Number);
const chunk = Buffer.alloc(2 ** 20, 'The goods are in the warehouse. ');

/** Serves a file of n MiB at `/<n>`, and hashes the bodies of PUT requests. */
const sums: { sent: Hash; got: string[] } = { sent: createHash('sha256'), got: [] };
const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    const hash = createHash('sha256');
    request.on('data', (bytes: Buffer) => hash.update(bytes));
    request.on('end', () => {
      sums.got.push(hash.digest('hex'));
      response.end();
    });
    return;
  }
  let left = Number(request.url?.slice(1));
  sums.sent = createHash('sha256');
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': left * chunk.length });
  const more = (): void => {
    for (let isRoom = true; left > 0 && isRoom; left -= 1) {
      sums.sent.update(chunk);
      isRoom = response.write(chunk);
    }
    if (left === 0) response.end();
  };
  response.on('drain', more);
  more();
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const request = {
  timeout_ms: 300_000,
  method: 'GET',
  url: `http://${host}/{{ trigger.payload.body.size }}`,
  answer: 'file',
};
const put = { timeout_ms: 300_000, method: 'PUT', url: `http://${host}/`, body: '{{ nodes.get.outputs.body }}' };
await measureFileMemory({
  figure: 'run-file-memory',
  mebibytes,
  nodes: [
    { id: 'get', node: 'core:http-request', config: request },
    { id: 'put', node: 'core:http-request', config: put },
  ],
  allow: host,
  async assertArrived() {
    if (sums.got.at(-1) !== sums.sent.digest('hex')) throw new Error('Other bytes arrived than were sent.');
  },
});
await new Promise((closed) => server.close(closed));
