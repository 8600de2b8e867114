/**
 * The process that package nodes run in: no environment, no files, no network, one tenant. Frames arrive on standard
 * input and leave on standard output; when the input ends, so does the process. It holds no state that must be saved.
 */
import { createFrameReader, encodeFrame } from '#workers/runtime/frames.ts';
import type { ChildMessage, ChildOptions, ParentMessage } from '#workers/runtime/messages.ts';
import { ExecutionHost } from './execution-host.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;

const send = (message: ChildMessage, body?: string): void => {
  process.stdout.write(encodeFrame(message, body));
};
const host = new ExecutionHost(options, send);
const read = createFrameReader(options.maxFrameBytes, (header, body) => {
  // The parent is trusted, so its messages are not validated.
  host.receive(JSON.parse(header) as ParentMessage, body);
});

process.stdin.on('data', read);
// process.exit() would wait for isolates, and one of them may be looping. The first process of a PID namespace ignores
// its own signals, but not abort().
const leave = (): void => {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
};
process.stdin.on('end', leave);
process.stdin.on('error', leave);
process.stdout.on('error', leave);
send({ type: 'ready' });
