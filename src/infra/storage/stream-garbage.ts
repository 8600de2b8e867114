import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of one stream between two collections. */
const interval = 8 * 1024 * 1024;

let collect: ((options: { type: 'minor' }) => void) | undefined;

/**
 * Frees the chunks of long streams. V8 counts the bytes of buffers outside of its heap, and collects only after some 60 MB of them; a
 * collection of young objects every 8 MiB takes a millisecond and keeps them at a fraction of that.
 */
export function createCollector(): (bytes: number) => void {
  let since = 0;
  return (bytes) => {
    since += bytes;
    if (since < interval) return;
    since = 0;
    if (!collect) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as typeof collect;
    }
    collect?.({ type: 'minor' });
  };
}
