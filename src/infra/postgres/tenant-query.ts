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
}

const scope = { name: 'scope', text: `SELECT set_config('causeway.tenant_id', $1, true)` };
/** The statement that scopes the transaction it runs in to a tenant. */
export const scopeTo = (tenantId: string): pg.QueryConfig => ({ ...scope, values: [tenantId] });

const base = pg.Query.prototype as unknown as Steps;

/**
 * Sends the query in the same message, and so in the same implicit transaction, as the statement that sets its tenant: one
 * round trip instead of four for BEGIN, set_config, the query and COMMIT. The transaction and the setting end with the
 * message, so nothing leaks to the connection's next user. `query.values` is required, even if empty. Discard the connection
 * after an error, because the state of its prepared statements is then unknown.
 */
export class TenantQuery<Row extends pg.QueryResultRow> extends pg.Query<Row> {
  readonly #tenantId: string;
  #scoped = false;

  constructor(
    tenantId: string,
    query: pg.QueryConfig & { values: unknown[] },
    done: (error: Error | undefined, result: pg.QueryResult<Row>) => void,
  ) {
    super({ ...query, queryMode: 'extended' } as pg.QueryConfig, done);
    this.#tenantId = tenantId;
  }

  prepare(connection: Wire): void {
    if (connection.parsedStatements[scope.name] === undefined) {
      connection.parse(scope);
      connection.parsedStatements[scope.name] = scope.text;
    }
    connection.bind({ statement: scope.name, values: [this.#tenantId] });
    connection.execute({ rows: 0 });
    base.prepare.call(this, connection);
  }

  handleDataRow(message: unknown): void {
    if (this.#scoped) base.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#scoped) base.handleCommandComplete.call(this, message, connection);
    this.#scoped = true;
  }
}
