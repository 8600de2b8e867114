import type pg from 'pg';
import type { Database } from '#src/infra/postgres/database.ts';
import { assertFollows } from './assert-follows.ts';
import { NeededPositions } from './needed-positions.ts';
import { askPrimary } from './primary-error.ts';
import { Replica } from './replica.ts';
import { readWalPosition } from './wal-position.ts';

/** How a process reads its replica. */
export interface ReplicaAccess {
  /** The database, with the reads of tenants answered by the replica as far as it has replayed what they need. */
  reads: Database;
  /** How far the replica must be for readers of a tenant. */
  positions: NeededPositions;
  /** How far the replica is behind, in seconds; undefined where nobody knows. */
  lagSeconds(): number | undefined;
}

export interface OpenReplica {
  access: ReplicaAccess;
  connections(): { pool: string; busy: number; idle: number; waiting: number }[];
  close(): Promise<void>;
}

/** Opens the pool of the replica; it connects at its first use. */
export function openReplica(options: {
  replicaUrl: string;
  poolSize: number;
  applicationName?: string;
  statementMs?: number;
  onError?: (error: Error) => void;
  primary: Database;
  /** The pool that asks the primary for its position. */
  systemPool: pg.Pool;
}): OpenReplica {
  const { replicaUrl, poolSize, primary, systemPool } = options;
  const positions = new NeededPositions(() => askPrimary(readWalPosition(systemPool)));
  const replica = new Replica({
    url: replicaUrl,
    poolSize,
    applicationName: options.applicationName ?? 'causeway',
    statementMs: options.statementMs ?? 30_000,
    onError: options.onError ?? (() => undefined),
    positions,
    assertFollows: (standby) => assertFollows(standby, systemPool),
    primary,
  });
  const reads: Database = {
    ...primary,
    reader: replica.reader,
    tenantQuery: (tenantId, query) => replica.tenantQuery(tenantId, query),
    copyOut: (tenantId, statement) => replica.copyOut(tenantId, statement),
  };
  return {
    access: { reads, positions, lagSeconds: () => replica.lagSeconds() },
    connections: () => [{ pool: 'replica', ...replica.connections() }],
    close: () => replica.close(),
  };
}
