/** A receiver of webhooks in a process of its own: answers 200 immediately and counts calls. Reports when it gets a message. */
import { type AddressInfo, createServer } from 'node:net';
import { RequestFramer } from './request-framing.ts';

const seen = new Set<string>();
let calls = 0;
let [firstAt, lastAt] = [0, 0];
/** The response of `node:http`, with all of its headers, which a sender has to read. */
let answer = '';
const dated = (): void => {
  answer = `HTTP/1.1 200 OK\r\nDate: ${new Date().toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok`;
};
dated();
setInterval(dated, 1_000).unref();

const server = createServer({ noDelay: true }, (socket) => {
  const framer = new RequestFramer();
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) =>
    framer.push(bytes, (head) => {
      calls += 1;
      lastAt = performance.now();
      firstAt ||= lastAt;
      const path = head.slice(0, head.indexOf('\r'));
      seen.add(`${path} ${/\r\nx-platform-id: *([^\r]*)/i.exec(head)?.[1]}`);
      socket.write(answer, 'latin1');
    }),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ calls, distinct: seen.size, ms: lastAt - firstAt, lastAt: performance.timeOrigin + lastAt });
  seen.clear();
  calls = firstAt = lastAt = 0;
});
process.on('disconnect', () => process.exit());
