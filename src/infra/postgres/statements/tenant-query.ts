import type pg from 'pg';
import { isStaleStatement } from '#src/infra/postgres/outages.ts';
import { plainNumbers } from './instants.ts';
import { type Scope, ScopedQuery, scopeTo, scopeToPlanned, scopeWith } from './scoped-query.ts';

/**
 * A statement; `name` has it prepared, `plannedOnce` keeps it from being planned for its values, and `settings` are parameters of the
 * server that hold for it alone. `countsList` says that it counts the rows of a list as `count`: a large one may be ten seconds old.
 */
export type TenantStatement = pg.QueryConfig & {
  plannedOnce?: boolean;
  settings?: Readonly<Record<string, string>>;
  countsList?: boolean;
};

/**
 * Runs one statement scoped to the tenant, and repeats one that a migration has outdated. `scoped` adds to what runs before it, in the
 * same transaction.
 */
export const tenantQuery = <Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: string,
  { plannedOnce = false, settings, ...query }: TenantStatement,
  scoped: (scope: Scope) => Scope = asItIs,
): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    const scope = scoped(settings ? scopeWith(tenantId, settings) : (plannedOnce ? scopeToPlanned : scopeTo)(tenantId));
    const config = { values: [], types: plainNumbers, ...query };
    const send = (isRepeated: boolean): void =>
      pool.connect((failure, client, release) => {
        if (failure || !client) return reject(failure ?? new Error('The pool gave no connection.'));
        client.query(
          new ScopedQuery<Row>(scope, config, (error, result) => {
            release(error);
            if (!error) resolve(result.rows);
            else if (isRepeated || !isStaleStatement(error)) reject(error);
            else send(true);
          }),
        );
      });
    send(false);
  });

const asItIs = (scope: Scope): Scope => scope;
