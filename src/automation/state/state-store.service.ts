import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { StatePort } from '#src/automation/node-api/ports.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { RunSql, Written } from './state-entries.store.ts';
import { makeNamespace } from './state-namespaces.store.ts';
import { stateKey, stateLimits } from './state.inputs.ts';
import { measureEntry } from './state.rules.ts';
import { storedEntries, testEntries } from './test-entries.store.ts';

/** The access that a workflow's blob declares under `state.namespaces`. */
export type StateAccess = Readonly<Record<string, 'read' | 'read_write'>>;

/** The state operations of nodes. Failures that a node can cause are NodeErrors. */
export interface StateStore extends StatePort {
  /** A missing entry is not a failure, unless `version` names one. */
  delete(entry: { namespace: string; key: string; version?: number }): Promise<void>;
}

type Store = Pick<{ database: Database }, 'database'>;

const inTenant =
  ({ database }: Store, tenantId: string): RunSql =>
  (statement) =>
    database.tenantQuery(tenantId, statement);

/**
 * A tenant's state as one workflow may use it. `readOnly` is the reason to refuse every write, whatever is declared; the writes of the test
 * run `testRunId` stay with it.
 */
export function openState(
  deps: Store,
  tenantId: string,
  access: StateAccess,
  { readOnly, testRunId }: { readOnly?: string | undefined; testRunId?: number | undefined } = {},
): StateStore {
  const run = inTenant(deps, tenantId);
  const entries = testRunId === undefined ? storedEntries(run, tenantId) : testEntries(run, tenantId, testRunId);

  function assertDeclared(namespace: string, wants: 'read' | 'write'): void {
    const declared = Object.hasOwn(access, namespace) ? access[namespace] : undefined;
    if (declared === undefined) {
      throw new NodeError(
        'STATE_NOT_DECLARED',
        `This workflow does not declare the namespace ${namespace.slice(0, 64)}; declare it in state.namespaces of the workflow.`,
      );
    }
    if (wants === 'read') return;
    if (readOnly !== undefined) throw new NodeError('STATE_READ_ONLY', readOnly);
    if (declared !== 'read_write') {
      throw new NodeError(
        'STATE_READ_ONLY',
        `This workflow declares the namespace ${namespace} for reading; declare it read_write to write there.`,
      );
    }
  }

  return {
    async get(namespace, key) {
      assertDeclared(namespace, 'read');
      const entry = await entries.select({ namespace, key: checkedKey(key) });
      return entry && { value: entry.value, version: entry.version };
    },
    async set({ namespace, key, value, version, ttlSeconds, idempotencyKey }) {
      assertDeclared(namespace, 'write');
      const write = {
        namespace,
        key: checkedKey(key),
        ...asNodeErrors(() => measureEntry(key, value)),
        version: checkedVersion(version),
        ttlSeconds: checkedTtl(ttlSeconds),
        keepExpiry: false,
        writer: idempotencyKey ?? null,
      };
      const attempt = (): Promise<Written> =>
        entries.write(write).catch((error: unknown) => {
          throw overCap(error, namespace) ?? error;
        });
      let written = await attempt();
      if (written.outcome === 'no-namespace') {
        await deps.database.withTenant(tenantId, (tx) => makeNamespace(tx, tenantId, namespace)).catch(rethrowRefusal);
        written = await attempt();
      }
      if (written.outcome === 'written') return { version: written.version };
      // The step wrote it before it was interrupted, and no one has written since.
      if (written.outcome === 'conflict' && write.writer !== null && written.foundWriter === write.writer) {
        return { version: written.found };
      }
      throw toRefusal(written, namespace);
    },
    async delete({ namespace, key, version }) {
      assertDeclared(namespace, 'write');
      const entry = { namespace, key: checkedKey(key), version: checkedVersion(version) };
      const removed = await entries.remove(entry);
      if (removed.outcome === 'conflict') throw conflict();
    },
  };
}

const invalid = (message: string): NodeError => new NodeError('INVALID_STATE', message);

function checkedKey(key: string): string {
  const read = stateKey.safeParse(key);
  if (read.success) return read.data;
  throw invalid(`A key is text of 1 to ${stateLimits.keyChars} characters, without NUL or lone surrogates.`);
}

function checkedVersion(version: number | undefined): number | null {
  if (version === undefined) return null;
  if (Number.isSafeInteger(version) && version >= 0) return version;
  throw invalid('A version is a whole number: what you read, or 0 for no entry at all.');
}

function checkedTtl(ttlSeconds: number | undefined): number | null {
  if (ttlSeconds === undefined) return null;
  if (Number.isSafeInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= stateLimits.ttlSeconds) return ttlSeconds;
  throw invalid(`Seconds to live are a whole number from 1 to ${stateLimits.ttlSeconds}.`);
}

const conflict = (): NodeError =>
  new NodeError('STATE_CONFLICT', 'The entry has changed since you read it; read it again.');

/** The error that a node gets for a write that was not done. */
function toRefusal({ outcome }: Exclude<Written, { outcome: 'written' }>, namespace: string): NodeError {
  if (outcome === 'conflict') return conflict();
  // Its namespace was just dropped, being empty; a retry creates it again.
  if (outcome === 'no-namespace') {
    return new NodeError('STATE_CONFLICT', 'The namespace was removed meanwhile; try again.', { retryable: true });
  }
  return new NodeError('STATE_FULL', fullMessage(outcome, namespace));
}

export const fullMessage = (outcome: 'no-place' | 'no-bytes', namespace: string): string =>
  outcome === 'no-place'
    ? `The namespace ${namespace} has ${stateLimits.entries} entries, which is the most; delete some, or let them expire.`
    : `The namespace ${namespace} would hold more than ${stateLimits.bytes} bytes; delete entries, or store less.`;

/** The refusal of a write that hit the database's own caps: a concurrent writer took the last place. */
function overCap(error: unknown, namespace: string): NodeError | undefined {
  const cap = findCap(error);
  return cap && new NodeError('STATE_FULL', fullMessage(cap, namespace));
}

export function findCap(error: unknown): 'no-place' | 'no-bytes' | undefined {
  const text = error instanceof Error ? error.message : '';
  if (text.includes('state_namespaces_entries_check')) return 'no-place';
  return text.includes('state_namespaces_bytes_check') ? 'no-bytes' : undefined;
}

function asNodeErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValidationError) throw invalid(Object.values(error.fields).flat().join(' '));
    throw error;
  }
}

function rethrowRefusal(error: unknown): never {
  throw error instanceof AppError ? new NodeError('STATE_FULL', error.message) : error;
}
