import type pg from 'pg';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { type Scope, ScopedQuery, settling } from '#src/infra/postgres/statements/scoped-query.ts';
import { DatabaseClient, type Guarded, isSubmitted, otherServerRole } from './database-client.ts';
import type { PrimaryGuard } from './primary-guard.ts';
import { serverAndDatabase, serverSql } from './server-session.ts';
import type { DatabaseRole, SessionSettings } from './session-settings.ts';

/** What the connections of a pool are told that go through a pooler. */
export interface PoolerEntry {
  /** The variable with the pooler's URL, which errors name. */
  variable: 'DATABASE_APP_URL' | 'DATABASE_SYSTEM_URL';
  role: DatabaseRole;
  settings: SessionSettings;
  /**
   * Distinguishes the statements that this pool has prepared from those of pools with other settings, and from those prepared before a
   * migration. A pooler prepares equal statements once for all, and keeps them when a client leaves.
   */
  statementsTag: () => string;
}

/** With `entry`, a connection goes through a pooler. */
export interface Entered extends Guarded {
  entry?: PoolerEntry;
}

type Query = (...given: unknown[]) => unknown;
type Settled = (error: Error | undefined, result: pg.QueryResult) => void;

interface Parsing {
  connection: { parse(statement: { name?: string; text: string }, more?: unknown): void };
  processID: number | null;
}

interface Found {
  login: string;
  standby: boolean;
  /** The process that runs the statement. */
  backend: number;
  /** The server and the database; see `serverAndDatabase`. */
  place: string;
  server: string;
  /** True if the server knows the statement by the client's own name for it. */
  isNamedByClient: boolean;
}

const sessionName = 'causeway-session';
const sessionSql = `SELECT session_user AS login, pg_is_in_recovery() AS standby, pg_backend_pid() AS backend,
  ${serverSql} AS server, ${serverAndDatabase} AS place,
  EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${sessionName}') AS "isNamedByClient"`;

/** A transaction begins, or one that was begun ends. */
const begins = /^BEGIN\b/;
const ends = /^(COMMIT|ROLLBACK)$/;

/**
 * A statement without columns that applies the settings until the end of the transaction. Assumes a role that does not exist if the server
 * is not the one in `$1`.
 */
const enterSession = (role: DatabaseRole, settings: SessionSettings): string => {
  const values = Object.entries({ ...settings, role }).map(([name, value]) => {
    const text = `'${value}'`;
    return [name, name === 'role' ? `CASE WHEN ${serverSql} = $1 THEN ${text} ELSE '${otherServerRole}' END` : text];
  });
  return `SELECT WHERE ${values.map(([name, value]) => `set_config('${name}', ${value}, true) IS NOT NULL`).join(' AND ')}`;
};

/**
 * A connection to a pooler in transaction mode: each transaction may have another session of the server. So each transaction, and each
 * statement outside of one, first makes sure that its server is the one that was checked, assumes its role and applies its settings: one
 * prepared statement, which leaves with BEGIN and the first statement of the transaction in one message
 * (docs/decisions/settings-travel-with-transactions.md).
 */
export class PoolerClient extends DatabaseClient {
  readonly #entry: PoolerEntry;
  readonly #primary: PrimaryGuard;
  #session: Scope | undefined;
  #isInTransaction = false;
  /** A BEGIN that is sent with the first statement of its transaction. */
  #unsent: Scope | undefined;

  /** Both members that are optional for other clients are needed. */
  constructor({ primary, entry, ...config }: pg.ClientConfig & Entered = {}) {
    super(config);
    if (!primary || !entry) throw new TypeError('A connection through a pooler needs its entry and a guard.');
    this.#entry = entry;
    this.#primary = primary;
    const { connection } = this as unknown as Parsing;
    const parse = connection.parse.bind(connection);
    const tag = entry.statementsTag();
    connection.parse = ({ text, ...statement }, more) => parse({ ...statement, text: `${text} /* ${tag} */` }, more);
    const query = this.query.bind(this) as Query;
    this.query = ((...given: unknown[]) => this.#send(query, given)) as pg.Client['query'];
  }

  protected override async introduce(isPrompt: () => void): Promise<void> {
    this.#primary.assertCalm();
    const { role, settings } = this.#entry;
    const found = await this.#ask(role);
    // Work of several tenants that shares a commit acts as the other role for each of them.
    if (role === 'causeway_system') await this.#ask('causeway_app');
    if (found.standby) throw new OutageError('The pooler leads to a standby, which takes no writes.');
    if (found.isNamedByClient && found.backend !== (this as unknown as Parsing).processID) throw this.#unprepared();
    isPrompt();
    await this.#primary.admitThroughPooler(this, found.place, this.#entry.variable);
    this.#session = { name: 'session', text: enterSession(role, settings), values: [found.server] };
  }

  /** Asks which session a transaction has that assumes the role. */
  async #ask(role: DatabaseRole): Promise<Found> {
    const { variable } = this.#entry;
    const entering = { name: `enter-${role}`, text: `SELECT set_config('role', '${role}', true)`, values: [] };
    const asking = { name: sessionName, text: sessionSql, values: [] };
    try {
      const [found] = await new Promise<Found[]>((resolve, reject) => {
        this.query(
          new ScopedQuery<Found>(entering, asking, (error, result) => (error ? reject(error) : resolve(result.rows))),
        );
      });
      return found as Found;
    } catch (error) {
      const state = sqlState(error);
      // Invalid name of a prepared statement, or one of that name is there.
      if (state === '26000' || state === '42P05') throw this.#unprepared();
      // Permission denied, or no such role.
      if (state !== '42501' && state !== '22023') throw error;
      const roles = this.#entry.role === 'causeway_app' ? 'causeway_app' : 'causeway_app, causeway_system';
      throw new OutageError(
        `${variable} logs in as "${this.user}", who may not act as ${role}. As an administrator: GRANT ${roles} TO "${this.user}".`,
        error,
      );
    }
  }

  #unprepared(): OutageError {
    return new OutageError(
      `The pooler of ${this.#entry.variable} does not keep prepared statements. Use PgBouncer 1.21 or later in transaction mode with max_prepared_statements of 1000, or PgDog.`,
    );
  }

  #send(query: Query, given: unknown[]): unknown {
    if (!this.#session) return query(...given);
    const [first] = given;
    const done = given.at(-1);
    const text = toText(first);
    if (begins.test(text)) {
      this.#isInTransaction = true;
      this.#unsent = { name: text.toLowerCase(), text, values: [] };
      return settle(done);
    }
    if (this.#isInTransaction && !this.#unsent) {
      if (ends.test(text)) this.#isInTransaction = false;
      return query(...given);
    }
    const begin = this.#unsent;
    this.#unsent = undefined;
    if (begin && ends.test(text)) {
      this.#isInTransaction = false;
      return settle(done);
    }
    return this.#sendFirst(query, given, begin ? [begin, this.#session] : [this.#session]);
  }

  /** Sends the first statement of a transaction, or one outside of a transaction, behind those that begin it. */
  #sendFirst(query: Query, given: unknown[], scopes: Scope[]): unknown {
    const [first, second] = given;
    const done = given.at(-1);
    if (first instanceof ScopedQuery) {
      first.precede(...scopes);
      return query(first);
    }
    const config = typeof first === 'string' ? { text: first } : (first as pg.QueryConfig);
    if (isSubmitted(first) || config.text.includes(';')) {
      if (scopes.length === 1) throw new Error('A stream, or several statements in one text, need a transaction.');
      // What makes it fail also fails the statement behind it.
      const [begin, session] = scopes as [Scope, Scope];
      query(new ScopedQuery(begin, session, () => undefined));
      return query(...given);
    }
    const values = Array.isArray(second) ? second : (config.values ?? []);
    const [scope, ...before] = scopes.toReversed() as [Scope, ...Scope[]];
    const send = (settled: Settled): unknown => {
      const scoped = new ScopedQuery(scope, { ...config, values }, settled);
      scoped.precede(...before);
      return query(scoped);
    };
    if (typeof done === 'function') return send(done as Settled);
    const { promise, resolve, reject } = Promise.withResolvers();
    send(settling(resolve, reject));
    return promise;
  }
}

const toText = (given: unknown): string =>
  typeof given === 'string' ? given : isSubmitted(given) ? '' : (given as pg.QueryConfig).text;

const nothing = { command: '', rowCount: null, rows: [], fields: [], oid: 0 };

/** Settles a statement that is not sent. */
function settle(done: unknown): unknown {
  if (typeof done !== 'function') return Promise.resolve(nothing);
  return process.nextTick(done, undefined, nothing);
}

/** Asks whether a pooler accepts connections; one that does answers before it needs a session of the server. */
export class PoolerProbe extends DatabaseClient {
  protected override introduce(): Promise<void> {
    return Promise.resolve();
  }
}
