import { setTimeout as delay } from 'node:timers/promises';

/** The responses to load balancers and process managers, without consecutive repeats. */
export interface Probed {
  readyz: string[];
  healthz: string[];
}

/** Asks `/readyz` and `/healthz` of an API again and again. */
export function startProbes(url: string): { stop(): Promise<Probed> } {
  const probed: Probed = { readyz: [], healthz: [] };
  const stopping = new AbortController();
  const ask = async (path: keyof Probed): Promise<void> => {
    const told = await fetch(`${url}/${path}`).then(
      async (answer) => `${answer.status} ${await answer.text()}`,
      (error: Error) => error.message,
    );
    if (probed[path].at(-1) !== told) probed[path].push(told);
  };
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      await Promise.all([ask('readyz'), ask('healthz')]);
      await delay(100);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await asking;
      return probed;
    },
  };
}
