import type { Notices } from './notices.ts';
import type { Tx } from './tx.ts';

/** Collects what a transaction tells, until its commit. */
export function collectNotices(notices: Notices): {
  notify: Tx['notify'];
  /** Awaits `commit`, then sends what was collected. */
  afterCommit<T>(commit: () => Promise<T>): Promise<T>;
} {
  const collected: [channel: string, entries: readonly unknown[]][] = [];
  return {
    notify(channel, entries) {
      collected.push([channel, entries]);
    },
    async afterCommit(commit) {
      try {
        const answer = await commit();
        for (const [channel, entries] of collected) notices.send(channel, entries);
        return answer;
      } catch (error) {
        // The answer to a commit may be lost with its connection, so the listeners look for themselves.
        for (const [channel] of collected) notices.skip(channel);
        throw error;
      }
    },
  };
}
