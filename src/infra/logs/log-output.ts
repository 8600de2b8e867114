import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The most characters that wait for a reader that has stopped reading; further lines are dropped and counted. */
const maxWaiting = 8_000_000;
const retryMs = 20;
/** How long an exiting process tries to write the remaining lines. */
const flushMs = 500;
/** A write that takes this long waits for a reader that may never return. */
const stalledMs = 1_000;

const pauseBuffer = new Int32Array(new SharedArrayBuffer(4));
const pause = (ms: number): void => void Atomics.wait(pauseBuffer, 0, 0, ms);
const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN';

/**
 * A log destination that writes lines to a file descriptor in order, without blocking. A reader can never delay the process: writing ends
 * when the reader is gone, and lines are dropped when a stalled reader leaves no room. Pino's own destination tries forever to write its
 * last lines to a reader that is gone (sonic-boom 4.2, flushSync), which keeps the process from exiting.
 */
export function openLogOutput(fd: number): DestinationStream {
  let waiting: string[] = [];
  let size = 0;
  let dropped = 0;
  let isGone = false;
  /** The write in progress and its start: a request in the thread pool, or a pause before the next attempt. */
  let current: { bytes: Buffer; since: number; isRequest: boolean } | undefined;

  function take(): Buffer {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    size = 0;
    return bytes;
  }
  function giveUp(): void {
    isGone = true;
    current = undefined;
    take();
  }
  function send(bytes: Buffer, since: number): void {
    current = { bytes, since, isRequest: true };
    write(fd, bytes, (error, written) => {
      if (isFull(error)) {
        current = { bytes, since, isRequest: false };
        setTimeout(() => send(bytes, since), retryMs).unref();
      } else if (error) giveUp();
      else if (written < bytes.length) send(bytes.subarray(written), performance.now());
      else next();
    });
  }
  function next(): void {
    current = undefined;
    if (dropped > 0)
      waiting.push(
        `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: `${dropped} log lines were dropped.` })}\n`,
      );
    dropped = 0;
    if (waiting.length > 0) send(take(), performance.now());
  }

  function flush(): void {
    if (isGone) return;
    if (current?.isRequest) {
      // The exit would wait forever for the thread that writes.
      if (performance.now() - current.since > stalledMs) process.kill(process.pid, 'SIGKILL');
      // The exit cancels a request that no thread has started yet.
      pause(10);
    }
    const unsent = current && !current.isRequest ? [current.bytes] : [];
    let bytes = Buffer.concat([...unsent, take()]);
    for (const end = performance.now() + flushMs; bytes.length > 0 && performance.now() < end;) {
      try {
        bytes = bytes.subarray(writeSync(fd, bytes));
      } catch (error) {
        if (!isFull(error)) return;
        pause(retryMs);
      }
    }
  }
  process.on('exit', flush);

  return {
    write(line) {
      if (isGone) return;
      if (size + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (!current) next();
    },
  };
}
