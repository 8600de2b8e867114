import type { Services } from '#src/infra/services.ts';

/**
 * Work that a worker does for as long as it lives, at its own pace: it waits for notices and for due times. Every worker process runs it,
 * so the work is shared by claims and leases. Work that is done every hour is a Chore.
 */
export interface BackgroundLoop {
  name: string;
  /** Resolves once the loop runs; `stop` resolves once it has finished or given back what it had begun. */
  start(services: Services): Promise<{ stop(): Promise<void> }>;
}

/** Starts the loops one after another; `stop` ends all of them. */
export async function startBackgroundLoops(
  services: Services,
  loops: readonly BackgroundLoop[],
): Promise<{ stop(): Promise<void> }> {
  const running: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((each) => each.stop()));
  };
  try {
    for (const loop of loops) running.push(await loop.start(services));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
