import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import type { Logger } from 'pino';
import { pause } from '#src/infra/timing/timers.ts';
import { backoff } from './backoff.ts';

export interface SupervisedProcess {
  /** True if the current process has reported that it is ready. */
  isReady(): boolean;
  /** The pid of the current process, if one runs. */
  readonly pid: number | undefined;
  /** Sends the process a message, and later each process that replaces it. */
  tell(message: Serializable): void;
  /** Asks it to drain (SIGTERM), waits at most `drainMs`, then kills it. */
  stop(): Promise<void>;
}

/** After a process has lived this long, its restarts begin with the shortest delay again. */
const settledMs = 30_000;

/**
 * Runs the module as a child with an IPC channel and restarts it whenever it exits: after at least 100 ms, then twice as long
 * each time, up to 10 s. The child sends `ready` over the channel; when the channel closes, it knows that its parent is gone.
 */
export function superviseProcess(options: {
  name: string;
  module: string;
  args?: string[];
  env: NodeJS.ProcessEnv;
  drainMs: number;
  /** Aborted when the parent begins to shut down: a terminal's Ctrl-C reaches the child as well, so its exit is then expected. */
  ending: AbortSignal;
  log: Logger;
}): SupervisedProcess {
  const log = options.log.child({ component: options.name });
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let isReady = false;
  let told: Serializable | undefined;
  const isEnding = () => stopping.signal.aborted || options.ending.aborted;

  const runOnce = async (): Promise<void> => {
    const started = fork(options.module, options.args ?? [], {
      env: options.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    if (told !== undefined) send(started, told);
    started.on('message', (message) => {
      if (message === 'ready') isReady = true;
    });
    await new Promise<void>((resolve) => {
      started.once('error', (error) => {
        log.error({ err: error }, 'The process could not be started.');
        resolve();
      });
      started.once('exit', (code, signal) => {
        if (!isEnding()) log.error({ code, signal, childPid: started.pid }, 'The process exited and is restarted.');
        resolve();
      });
    });
    isReady = false;
    child = undefined;
  };

  const run = async (): Promise<void> => {
    for (let attempt = 0; !isEnding(); attempt++) {
      const startedAt = performance.now();
      await runOnce();
      if (performance.now() - startedAt > settledMs) attempt = 0;
      await pause(backoff(attempt), stopping.signal);
    }
  };

  const ended = run();
  return {
    isReady: () => isReady,
    get pid() {
      return child?.pid;
    },
    tell(message) {
      told = message;
      if (child) send(child, message);
    },
    async stop() {
      stopping.abort();
      child?.kill('SIGTERM');
      const late = setTimeout(() => {
        log.error({ childPid: child?.pid }, `The process did not drain within ${options.drainMs} ms and is killed.`);
        child?.kill('SIGKILL');
      }, options.drainMs);
      await ended;
      clearTimeout(late);
    },
  };
}

/** A process that has just ended does not receive it; the next one gets it at its start. */
function send(child: ChildProcess, message: Serializable): void {
  if (child.connected) child.send(message, () => undefined);
}
