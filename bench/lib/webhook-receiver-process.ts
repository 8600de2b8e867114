/** A receiver of webhooks in a process of its own: answers 200 at once and counts what came. Asked by a message, it reports. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const seen = new Set<string>();
let calls = 0;
let [firstAt, lastAt] = [0, 0];

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    calls += 1;
    lastAt = performance.now();
    firstAt ||= lastAt;
    seen.add(`${request.url} ${String(request.headers['x-platform-id'])}`);
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ calls, distinct: seen.size, ms: lastAt - firstAt });
  seen.clear();
  calls = firstAt = lastAt = 0;
});
process.on('disconnect', () => process.exit());
