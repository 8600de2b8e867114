import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Characters that wait for a reader who takes none; further lines are dropped, and counted. */
const mostWaiting = 8_000_000;
const retryMs = 20;
/** What waits when the process exits is written for so long at most. */
const flushMs = 500;
/** A write that took so long waits for a reader who may never come back. */
const stalledMs = 1_000;

const pauseBuffer = new Int32Array(new SharedArrayBuffer(4));
const pause = (ms: number): void => void Atomics.wait(pauseBuffer, 0, 0, ms);
const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN';

/**
 * The descriptor as a place for log lines, written in order without waiting. No reader can hold the process up: one that is
 * gone ends the writing, one that stands still costs the lines it leaves no room for. Pino's own destination tries for ever
 * to write its last lines to a reader that is gone (sonic-boom 4.2, flushSync), and so keeps the process from exiting.
 */
export function openLogOutput(fd: number): DestinationStream {
  let waiting: string[] = [];
  let size = 0;
  let dropped = 0;
  let isGone = false;
  /** What is being written, and since when; a request in the thread pool or a pause until the next try. */
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
      // The exit would wait for the thread that writes, without end.
      if (performance.now() - current.since > stalledMs) process.kill(process.pid, 'SIGKILL');
      // It cancels a request that no thread has begun with.
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
      if (size + line.length > mostWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (!current) next();
    },
  };
}
