import type pg from 'pg';

/**
 * An open transaction: parameterised SQL on its connection, whoever began it and whatever else runs in it. What is written
 * with a change (audit, events, jobs, notices, locks) takes one, so that it is committed with the change or not at all.
 *
 * `query` is pg's own, so a stream of pg-copy-streams can be given to it too. Ids (`bigint`) are read as numbers.
 */
export type Tx = Pick<pg.ClientBase, 'query'>;
