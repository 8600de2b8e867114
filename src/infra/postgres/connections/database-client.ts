import pg from 'pg';
import { OutageError, readOnlyState, StaleStatementError } from '#src/infra/postgres/outages.ts';
import { settling } from '#src/infra/postgres/statements/scoped-query.ts';
import type { PrimaryGuard } from './primary-guard.ts';
import { readPlainSession, readServerSession, assertRole, readRole } from './server-session.ts';

/** A server that accepts connections but does not respond counts as away, and a request waits this long for it. */
const connectMs = 1_500;
const tickMs = 100;

/**
 * "cached plan must not change result type". The code is that of any feature that Postgres lacks; the text is translated, and the name of
 * the function that raised it is not.
 */
const staleStatement = { code: '0A000', routine: 'RevalidateCachedQuery' };

const diskFull = '53100';

/** A role that does not exist, and that a transaction on another server than its connection's is told to assume. */
export const otherServerRole = 'causeway: another server';

/** The parts of a client that its types omit. */
interface Wire {
  connection: {
    once(event: 'end', listener: () => void): void;
    stream: { destroy(error?: Error): void; cork(): void; uncork(): void; bytesRead: number };
  };
  pipeline: boolean;
}
/** The guard, if any, is asked about each server that a connection leads to. Pools and pg-boss pass it on to their clients. */
export interface Guarded {
  primary?: PrimaryGuard;
  /** The connection must lead to a standby, which is only read. */
  isReplica?: boolean;
  /** Refuses a standby that does not follow the server which takes the writes. */
  assertFollows?: (standby: pg.Client) => Promise<void>;
}
type Done = (error?: unknown, ...rest: unknown[]) => void;
interface Submitted {
  handleError(error: unknown, connection: unknown): void;
}

/**
 * A connection to the server that takes the writes, or to a standby that is only read. pg reports a broken connection as a plain Error; here
 * it is an OutageError if no code identifies it already. Refuses a server that is not what it must be, and a session that does not act as
 * the role of its `options`. Ends the connection when its server becomes read-only, so that a pool does not hand it out again. Emits
 * `stale` when its prepared statements turn out to be older than a migration, and `full` when the server lacks disk space.
 */
export class DatabaseClient extends pg.Client {
  #isLost = false;
  #isGathering = false;
  readonly #role: string | undefined;
  readonly #primary: PrimaryGuard | undefined;
  readonly #isReplica: boolean;
  readonly #assertFollows: Guarded['assertFollows'];
  #stale: StaleStatementError | undefined;
  readonly #explain = (error: unknown): unknown => this.#explained(error);

  constructor(config: pg.ClientConfig & Guarded = {}) {
    super(config);
    this.#role = readRole(config.options);
    this.#primary = config.primary;
    this.#isReplica = config.isReplica ?? false;
    this.#assertFollows = config.assertFollows;
    // Without a listener, an error before a pool has taken the connection would end the process.
    this.on('error', () => undefined);
    // This event comes before the queries that it fails are rejected.
    this.#wire.once('end', () => {
      this.#isLost = true;
    });
    const query = (...given: unknown[]): unknown => super.query(...(given as [string]));
    this.query = ((...given: unknown[]) => this.#run(query, given)) as pg.Client['query'];
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const connected = this.#connect();
    if (!callback) return connected;
    const done = callback as Done;
    connected.then(
      () => process.nextTick(done),
      (error: unknown) => process.nextTick(done, error),
    );
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#isLost = true;
    return callback ? super.end(callback) : super.end();
  }

  /** The pool's own `query` fails with the error of this event, before that of its statement. */
  override emit(event: string | symbol, ...told: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...told);
    this.#isLost = true;
    return super.emit(event, this.#explained(told[0]));
  }

  /**
   * Set once this connection must not be used again, because a migration has outdated its statements or a pooler has led it to another
   * server; later errors on it are consequences.
   */
  get stale(): StaleStatementError | undefined {
    return this.#stale;
  }

  /** Bytes that came over this connection since it opened. */
  get bytesHeard(): number {
    return this.#wire.stream.bytesRead;
  }

  /** Closes the connection without notifying the server. Its statements fail as an outage. */
  abandon(why: string): void {
    this.#wire.stream.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }));
  }

  get #wire(): Wire['connection'] {
    return (this as unknown as Wire).connection;
  }

  /**
   * Statements of a pipeline that are sent in one turn of the event loop leave in one write: a system call for each, on both sides, was a
   * tenth of the processor time of a run.
   */
  #gather(): void {
    if (this.#isGathering || !(this as unknown as Wire).pipeline) return;
    this.#isGathering = true;
    const { stream } = this.#wire;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  async #connect(): Promise<pg.Client> {
    if (this.#primary?.alarm !== undefined) {
      // Nobody listens to it yet, so its own time limit would end the process.
      this.#wire.stream.destroy();
      this.#primary.assertCalm();
    }
    // Counted in ticks, so that time in which this process was busy does not count against the server.
    let left = connectMs / tickMs;
    const late = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      this.abandon(`The database did not accept the connection within ${connectMs} ms.`);
    }, tickMs);
    try {
      await super.connect().catch((error: unknown) => {
        throw this.#explained(error);
      });
      await this.introduce(() => clearInterval(late));
      return this;
    } catch (error) {
      void this.end().catch(() => undefined);
      throw error;
    } finally {
      clearInterval(late);
    }
  }

  /** Checks the session of a new connection; calls `isPrompt` once the server has answered. */
  protected async introduce(isPrompt: () => void): Promise<void> {
    const session = await (this.#primary?.isAsking ? readServerSession(this) : readPlainSession(this));
    this.#assertDuty(session.standby);
    assertRole(this.#role, session.role);
    // Another process may be advancing ids, which takes the server some time.
    isPrompt();
    await this.#primary?.admit(this, session.server);
    await this.#assertFollows?.(this);
  }

  #assertDuty(isStandby: boolean): void {
    if (isStandby === this.#isReplica) return;
    throw new OutageError(
      isStandby
        ? 'The server is a standby, which takes no writes.'
        : 'DATABASE_REPLICA_URL leads to a primary; have it lead to standbys of the server of DATABASE_URL alone.',
    );
  }

  /** Statements come with a promise, with a callback, or as an object that handles its own error. */
  #run(query: (...given: unknown[]) => unknown, given: unknown[]): unknown {
    this.#gather();
    const [submitted] = given;
    if (isSubmitted(submitted)) {
      explainErrors(submitted, this.#explain);
      return query(...given);
    }
    const done = given.at(-1);
    if (typeof done === 'function') return query(...given.slice(0, -1), explaining(done as Done, this.#explain));
    const { promise, resolve, reject } = Promise.withResolvers();
    query(...given, settling(resolve, reject, this.#explain));
    return promise;
  }

  #explained(error: unknown): unknown {
    const { code, routine, message } = error as { code?: unknown; routine?: unknown; message?: unknown };
    if (code === staleStatement.code && routine === staleStatement.routine)
      return this.#outdated(new StaleStatementError(error));
    if (typeof message === 'string' && message.includes(otherServerRole))
      return this.#outdated(new StaleStatementError(error, 'The pooler led the connection to another server.'));
    if (code === diskFull) this.emit('full');
    if (code === readOnlyState) void this.end().catch(() => undefined);
    if (!this.#isLost || typeof code === 'string' || error instanceof OutageError) return error;
    return new OutageError('The connection to the database was lost.', error);
  }

  #outdated(error: StaleStatementError): StaleStatementError {
    const isFirst = this.#stale === undefined;
    this.#stale ??= error;
    if (isFirst) this.emit('stale', this.#stale);
    return this.#stale;
  }
}

// Outside of the query's scope for the same reason as `settling`.
const explaining =
  (done: Done, explain: (error: unknown) => unknown): Done =>
  (error, ...rest) =>
    done(error && explain(error), ...rest);

function explainErrors(submitted: Submitted, explain: (error: unknown) => unknown): void {
  const handle = submitted.handleError.bind(submitted);
  submitted.handleError = (error, connection) => handle(explain(error), connection);
}

/** The reason why a connection of a pool must not be used again: a migration, or another server behind a pooler. */
export const staleError = (client: pg.ClientBase): StaleStatementError | undefined =>
  client instanceof DatabaseClient ? client.stale : undefined;

/** True for an object that handles its own response, such as a stream. */
export const isSubmitted = (given: unknown): given is Submitted =>
  typeof given === 'object' && given !== null && 'submit' in given && 'handleError' in given;
