import type pg from 'pg';
import { isStaleStatement } from '#src/infra/postgres/outages.ts';
import { plainNumbers } from './instants.ts';
import { ScopedQuery, scopeTo, scopeToPlanned } from './scoped-query.ts';

/** A statement; `name` has it prepared, and `plannedOnce` keeps it from being planned for its values. */
export type TenantStatement = pg.QueryConfig & { plannedOnce?: boolean };

/** Runs one statement scoped to the tenant, and repeats one that a migration has outdated. */
export const tenantQuery = <Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: string,
  { plannedOnce = false, ...query }: TenantStatement,
): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    const scope = (plannedOnce ? scopeToPlanned : scopeTo)(tenantId);
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
