import { parentPort, workerData } from 'node:worker_threads';
import { applyMigrations } from './schema-engine.ts';

// The schema engine in a thread: the 50 MiB it comes to go with it, where a process would keep them for as long as it lives.
const { url } = workerData as { url: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port is a thread's, not a window's
parentPort?.postMessage(await applyMigrations(url));
