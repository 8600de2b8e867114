import { TypeWorker } from './type-worker.ts';

/** Somebody who goes from one code node to the next does not load the compiler again. */
const keptMs = 30_000;

let shared: TypeWorker | undefined;
let users = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The worker of all code fields, and a function that gives it back. A worker that has ended is replaced. */
export function acquireTypeWorker(): { worker: TypeWorker; release: () => void } {
  clearTimeout(timer);
  if (!shared || shared.state === 'ended') shared = new TypeWorker();
  users += 1;
  const release = () => {
    users -= 1;
    if (users > 0) return;
    timer = setTimeout(() => {
      shared?.end();
      shared = undefined;
    }, keptMs);
  };
  return { worker: shared, release };
}
