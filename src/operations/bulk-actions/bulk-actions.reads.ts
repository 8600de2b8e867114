import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import { type OwnerReader, queryOwner } from './bulk-action-owners.store.ts';
import type { BulkActionKind, BulkActionStatus } from './bulk-actions.rules.ts';

/** An action as lists show it. Instants are ISO 8601 text. */
export interface BulkActionRow {
  id: number;
  /** That of a tenant, or `ofOperators`. */
  tenantId: string;
  kind: BulkActionKind;
  status: BulkActionStatus;
  total: number;
  done: number;
  refused: number;
  error: string | null;
  startedBy: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

const columns = `id, tenant_id AS "tenantId", kind, status, total, done, refused, error, coalesce(actor_email, actor_sub) AS "startedBy",
  created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`;

/** The owner's actions with these ids, in no order. */
export const findBulkActions = (
  reader: OwnerReader,
  tenantId: string,
  ids: readonly (number | bigint)[],
): Promise<BulkActionRow[]> =>
  queryOwner<BulkActionRow>(reader, tenantId, {
    text: `SELECT ${columns} FROM bulk_actions WHERE tenant_id = $1 AND id = ANY($2::bigint[])`,
    values: [tenantId, ids],
    types: isoInstants,
  });

export async function findBulkAction(
  reader: OwnerReader,
  tenantId: string,
  id: number | bigint,
): Promise<BulkActionRow | undefined> {
  const [row] = await findBulkActions(reader, tenantId, [id]);
  return row;
}

/** A page of the owner's actions, newest first. */
export const listBulkActions = (
  reader: OwnerReader,
  tenantId: string,
  { take, skip, backwards, after, before }: KeyPage<bigint>,
): Promise<BulkActionRow[]> =>
  queryOwner<BulkActionRow>(reader, tenantId, {
    text: `SELECT ${columns} FROM bulk_actions WHERE tenant_id = $1 AND ($2::bigint IS NULL OR id < $2) AND ($3::bigint IS NULL OR id > $3)
      ORDER BY id ${backwards ? 'ASC' : 'DESC'} LIMIT $4 OFFSET $5`,
    values: [tenantId, after ?? null, before ?? null, take, skip],
    types: isoInstants,
  });

export async function countBulkActions(reader: OwnerReader, tenantId: string, most: number): Promise<number> {
  const [row] = await queryOwner<{ count: number }>(reader, tenantId, {
    text: 'SELECT count(*) FROM (SELECT FROM bulk_actions WHERE tenant_id = $1 LIMIT $2) AS counted',
    values: [tenantId, most],
  });
  return row?.count ?? 0;
}

/** An item that an action could not be applied to. */
export interface Refusal {
  /** The item's own id, or its number where it has a UUID. */
  id: number;
  key: string | null;
  kind: BulkActionKind;
  code: string;
  reason: string;
}

/** A page of the refused items of an action, by their ids in ascending order. */
export const listRefusals = (
  reader: OwnerReader,
  tenantId: string,
  actionId: number,
  { take, skip, backwards, after, before }: KeyPage<bigint>,
): Promise<Refusal[]> =>
  queryOwner<Refusal & Record<string, unknown>>(reader, tenantId, {
    text: `SELECT r.item AS id, k.key, a.kind, r.code, r.reason FROM bulk_action_refusals r
      JOIN bulk_actions a ON a.tenant_id = r.tenant_id AND a.id = r.action_id
      LEFT JOIN bulk_action_keys k ON k.tenant_id = r.tenant_id AND k.action_id = r.action_id AND k.item = r.item
      WHERE r.tenant_id = $1 AND r.action_id = $2 AND ($3::bigint IS NULL OR r.item > $3) AND ($4::bigint IS NULL OR r.item < $4)
      ORDER BY r.item ${backwards ? 'DESC' : 'ASC'} LIMIT $5 OFFSET $6`,
    values: [tenantId, actionId, after ?? null, before ?? null, take, skip],
  });
