import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from '#src/imports/formats/archives/open-file.ts';

// A thread that unpacks its bytes and answers how many came before which fault.
let unpacked = 0;
let fault = '';
try {
  for await (const chunk of openFile(Readable.from([Buffer.from(workerData as Uint8Array)]), { format: 'csv' }))
    unpacked += chunk.length;
} catch (error) {
  fault = String(error);
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ unpacked, fault });
