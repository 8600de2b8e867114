import pg from 'pg';

/** The parts of a connection that pg's own Query uses and its types omit. */
interface Wire {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: string[] }): void;
  execute(portal: { rows: number }): void;
}
interface Steps {
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
}

/** A prepared statement that precedes another, such as one that sets the tenant of the rest of the transaction. */
export interface Scope {
  name: string;
  text: string;
  values: string[];
}

/** The statement that scopes the transaction it runs in to a tenant. */
export const scopeTo = (tenantId: string): Scope => ({
  name: 'scope',
  text: `SELECT set_config('causeway.tenant_id', $1, true)`,
  values: [tenantId],
});
/**
 * The same, and prepared statements of the transaction use their generic plan. For a statement whose plan never depends on its values:
 * otherwise Postgres may plan it at each call, when it expects fewer rows for these values.
 */
export const scopeToPlanned = (tenantId: string): Scope => ({
  name: 'scope-planned',
  text: `SELECT set_config('causeway.tenant_id', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
  values: [tenantId],
});
/** The statements of `scopeWith` by their text. Names of prepared statements have at most 63 bytes. */
const namesOfScopes = new Map<string, string>();

/** The same, with settings that hold for the transaction. Their names are constants of the code, so that there are few such statements. */
export function scopeWith(tenantId: string, settings: Readonly<Record<string, string>>): Scope {
  const calls = Object.keys(settings).map((name, index) => `set_config('${name}', $${index + 2}, true)`);
  const text = `SELECT ${["set_config('causeway.tenant_id', $1, true)", ...calls].join(', ')}`;
  const name = namesOfScopes.get(text) ?? `scope-with-${namesOfScopes.size}`;
  namesOfScopes.set(text, name);
  return { name, text, values: [tenantId, ...Object.values(settings)] };
}
/** The same for a transaction of another role. */
export const scopeAsApp = (tenantId: string): Scope => ({
  name: 'enter-tenant',
  text: `SELECT set_config('causeway.tenant_id', $1, true), set_config('role', 'causeway_app', true)`,
  values: [tenantId],
});
/** The same, failing where the standby that executes it has not replayed the primary's log to this place (CW001). */
export const scopeReplayed = ({ name, text, values }: Scope, timeline: number, lsn: string): Scope => ({
  name: `${name}-replayed`,
  text: `${text}, assert_replayed($${values.length + 1}, $${values.length + 2})`,
  values: [...values, String(timeline), lsn],
});

const base = pg.Query.prototype as unknown as Steps;

/**
 * Sends the query in the same message as the statement that sets its scope. Outside of a transaction the two are one implicit
 * transaction: one round trip instead of four for BEGIN, set_config, the query and COMMIT, and the setting ends with it, so
 * nothing leaks to the connection's next user. `query.values` is required, even if empty.
 */
export class ScopedQuery<Row extends pg.QueryResultRow> extends pg.Query<Row> {
  readonly #scopes: Scope[];
  /** The scopes that the server has answered. */
  #answered = 0;

  constructor(
    scope: Scope,
    query: pg.QueryConfig & { values: unknown[] },
    done: (error: Error | undefined, result: pg.QueryResult<Row>) => void,
  ) {
    super({ ...query, queryMode: 'extended' } as pg.QueryConfig, done);
    this.#scopes = [scope];
  }

  /** Adds statements that are sent before the scope. */
  precede(...scopes: Scope[]): void {
    this.#scopes.unshift(...scopes);
  }

  prepare(connection: Wire): void {
    for (const { name, text, values } of this.#scopes) {
      // In a pipeline, later queries are sent before this one is answered, so the statement is marked as submitted.
      if (connection.parsedStatements[name] === undefined && connection.submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text });
        connection.submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values });
      connection.execute({ rows: 0 });
    }
    base.prepare.call(this, connection);
  }

  handleDataRow(message: unknown): void {
    if (this.#answered === this.#scopes.length) base.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, connection: Wire): void {
    const scope = this.#scopes[this.#answered];
    if (!scope) return base.handleCommandComplete.call(this, message, connection);
    this.#answered += 1;
    connection.parsedStatements[scope.name] = scope.text;
    delete connection.submittedNamedStatements[scope.name];
  }

  handleError(error: Error, connection: Wire): void {
    for (const { name } of this.#scopes.slice(this.#answered)) delete connection.submittedNamedStatements[name];
    base.handleError.call(this, error, connection);
  }
}

/**
 * Callback of a query that settles a promise. It is a function of its own so that its scope holds nothing of the query. The promises that
 * pg makes share a scope with the query, and V8's young collections then free neither queries nor their results: 48 of 54 KB were left to
 * full collections, in a loop of sequential queries (docs/decisions/query-results-are-freed-young.md).
 */
export const settling =
  <Result>(resolve: (result: Result) => void, reject: (error: unknown) => void, explain = asItIs) =>
  (error: unknown, result: Result): void => {
    if (error) reject(explain(error));
    else resolve(result);
  };

const asItIs = (error: unknown): unknown => error;
