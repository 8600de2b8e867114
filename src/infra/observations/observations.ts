import { channel } from 'node:diagnostics_channel';

/** Something that happens often, and that metrics count. Telling it costs next to nothing while nobody listens. */
interface Observation<Seen> {
  tell: (seen: Seen) => void;
  /** Listens for as long as the process lives. */
  listen: (listener: (seen: Seen) => void) => void;
}

function observation<Seen>(name: string): Observation<Seen> {
  const told = channel(`causeway:${name}`);
  return {
    tell: (seen) => {
      if (told.hasSubscribers) told.publish(seen);
    },
    listen: (listener) => told.subscribe((seen) => listener(seen as Seen)),
  };
}

/** What this process has done. Times are in milliseconds. */
export const observations = {
  /** A worker took a run for the first time. */
  runClaimed: observation<{ waitedMs: number }>('run-claimed'),
  /**
   * A tenant was read in an installation with a replica. Either the replica answered, or the primary had to, because the replica was
   * `away`, `behind` or `failed`, or because the primary had not reported the position that the replica had to reach (`unknown`).
   */
  tenantRead: observation<{ by: 'replica' | 'away' | 'behind' | 'failed' | 'unknown' }>('tenant-read'),
  /** A run ended; `ms` are from when it was made. */
  runEnded: observation<{ status: string; ms: number }>('run-ended'),
  /** An attempt at a step ended. `node` is the slug of its node. */
  stepEnded: observation<{ node: string; status: string; ms: number }>('step-ended'),
  /** A step sent a request to another system; `outcome` is the class of its status, such as `2xx`, or `failed`. */
  callSent: observation<{ outcome: string; ms: number }>('call-sent'),
  /** A webhook was sent; `outcome` as that of a call. */
  webhookSent: observation<{ outcome: string; ms: number }>('webhook-sent'),
  /** An alert message was sent, an attempt failed and will be repeated, or the message was given up. Test messages do not count. */
  alertAttempted: observation<{ channel: 'mail' | 'webhook'; outcome: 'sent' | 'failed' | 'given_up' }>(
    'alert-attempted',
  ),
  /** A worker wrote what its runs did in one commit. */
  stepsCommitted: observation<{ entries: number; ms: number }>('steps-committed'),
  /** This worker was taken for dead, and its runs were given to others. */
  leaseLost: observation<undefined>('lease-lost'),
  /** Runs of workers that were taken for dead were put back into the queue, or given up. */
  runsTakenOver: observation<{ count: number }>('runs-taken-over'),
  /** An import or export ended. */
  bulkJobEnded: observation<{ kind: string; target: string; status: string }>('bulk-job-ended'),
  /** A request was refused because its caller had sent too many. */
  callerLimited: observation<undefined>('caller-limited'),
  /** A process of the sandbox exited by itself. */
  sandboxCrashed: observation<undefined>('sandbox-crashed'),
  /** A WebSocket opened (1) or closed (-1). */
  socketsChanged: observation<{ by: 1 | -1 }>('sockets-changed'),
};

/** The class of the status of an answer; `failed` where nobody answered. */
export const answerClass = (status: number | null): string =>
  status === null ? 'failed' : `${Math.floor(status / 100)}xx`;
