import type { Actor, Principal } from '#src/infra/deps.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { TenantStatement } from '#src/infra/postgres/statements/tenant-query.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * What operators' actions have for a tenant. No transaction can be in it, so row-level security hides them from all tenants; what they act
 * on has no tenant column, and only the system role may change it.
 */
export const ofOperators = '';

export const actAsOperator = (principal: Principal): Actor => ({ ...principal, orgId: '', tenantId: ofOperators });

/** A transaction that sees the actions of their owner: of a tenant, or of operators. */
export const withOwner = <T>(
  database: Pick<Database, 'withTenantSql' | 'withSystem'>,
  owner: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => (owner === ofOperators ? database.withSystem(work) : database.withTenantSql(owner, work));

export type OwnerReader = Pick<Database, 'tenantQuery' | 'system'>;

/** Runs one statement in the scope of the owner. Its conditions name the owner: the system role sees all rows. */
export const queryOwner = async <Row extends object>(
  { tenantQuery, system }: OwnerReader,
  owner: string,
  statement: TenantStatement,
): Promise<Row[]> =>
  (owner === ofOperators ? (await system.query(statement)).rows : await tenantQuery(owner, statement)) as Row[];
