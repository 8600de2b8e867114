import type pg from 'pg';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { watchLockHolders } from './lock-holders.ts';

/** How long a migration waits for locks. */
export interface LockLimits {
  /** For one lock. Every query of the table waits behind the migration meanwhile. */
  lockMs: number;
  attempts: number;
  /** The pause before the second attempt, in which waiting queries run. It doubles up to `maxPauseMs`. */
  pauseMs: number;
  maxPauseMs: number;
  /** For building or dropping an index concurrently, for which nobody waits. */
  concurrentMs: number;
}

/** About a minute and a half in all. */
export const lockLimits: LockLimits = {
  lockMs: 2_000,
  attempts: 10,
  pauseMs: 1_000,
  maxPauseMs: 10_000,
  concurrentMs: 600_000,
};

/** The context of a migration: the connection that holds the lock against other processes, and how it waits for locks. */
export interface MigrationSession {
  client: pg.Client;
  url: string;
  limits: LockLimits;
  /** Receives messages about why a migration waits. */
  say: (message: string) => void;
}

/** A lock that was not granted in time, or one that the server refused to break a deadlock. */
const isLockFailure = (error: unknown): boolean => /^(55P03|40P01)$/.test(sqlState(error) ?? '');

/**
 * Runs `work`, which must leave nothing behind when it fails, until it gets its locks. A statement that waits for a lock makes every later
 * one of the same table wait behind it, so it gives up after `lockMs` and lets them pass before it tries again.
 */
export async function withLockTimeout<T>(session: MigrationSession, what: string, work: () => Promise<T>): Promise<T> {
  const { client, url, say, limits } = session;
  await client.query(`SET lock_timeout = ${limits.lockMs}`);
  for (let attempt = 1; ; attempt += 1) {
    const holders = watchLockHolders(url);
    let failure: unknown;
    try {
      return await work();
    } catch (error) {
      failure = error;
    } finally {
      await holders.stop();
    }
    if (!isLockFailure(failure)) throw failure;
    const held = holders.seen() ?? 'whoever holds it was not seen';
    if (attempt === limits.attempts) {
      throw new Error(
        `${what} did not get a lock in ${attempt} attempts of ${limits.lockMs} ms each. It is held on ${held}. Wait until that transaction ends, or end it with SELECT pg_terminate_backend(<process>), then start again.`,
        { cause: failure },
      );
    }
    const ms = Math.min(limits.maxPauseMs, limits.pauseMs * 2 ** (attempt - 1));
    say(`${what} waits for a lock held on ${held}. Attempt ${attempt} of ${limits.attempts}; the next is in ${ms} ms.`);
    await pause(ms);
  }
}

const sayEveryMs = 10_000;

/** Runs a statement that blocks nobody while it waits, such as one that builds an index concurrently, and says what it waits for. */
export async function waitingConcurrently(session: MigrationSession, what: string, sql: string): Promise<void> {
  const { client, url, say, limits } = session;
  await client.query(`SET lock_timeout = ${limits.concurrentMs}`);
  let saidAt = performance.now() - sayEveryMs;
  const holders = watchLockHolders(url, (held) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    say(`${what} waits for a transaction that began before it, on ${held}. Queries go on meanwhile.`);
  });
  try {
    await client.query(sql);
  } catch (error) {
    if (!isLockFailure(error)) throw error;
    throw new Error(
      `${what} waited longer than ${limits.concurrentMs} ms, on ${holders.seen() ?? 'a holder that was not seen'}. End that transaction, or start again once it has ended.`,
      { cause: error },
    );
  } finally {
    await holders.stop();
  }
}
