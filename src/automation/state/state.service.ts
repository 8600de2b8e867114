import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import {
  type EntryKey,
  removeEntry,
  type RunSql,
  type StateEntry,
  writeEntry,
  type Written,
} from './state-entries.store.ts';
import { isDeclared, makeNamespace } from './state-namespaces.store.ts';
import { findCap, fullMessage } from './state-store.service.ts';
import { auditedStateEntry } from './state.declarations.ts';
import { namespacePattern, putEntryInput, stateKey } from './state.inputs.ts';
import { measureEntry } from './state.rules.ts';

const resourceId = ({ namespace, key }: EntryKey): string => `${namespace}/${key}`;

/**
 * An operator's correction: replaces an entry's value, or creates an entry in a namespace that is in use or declared by a
 * workflow; any other namespace is not found. An existing expiry stays. `made` is true for a new entry. Throws a ConflictError
 * for a stale `version`.
 */
export async function putEntry(
  { database }: Deps,
  actor: Actor,
  { namespace, key, ...given }: EntryKey & { value?: unknown; version?: number | null },
): Promise<{ entry: StateEntry; made: boolean }> {
  const { tenantId } = actor;
  if (!namespacePattern.test(namespace)) throw new NotFoundError();
  const { value, version } = parseInput(putEntryInput, given);
  const entry = { namespace, key: parseInput(stateKey, key, 'key') };
  const write = {
    ...entry,
    ...measureEntry(key, value),
    version: version ?? null,
    ttlSeconds: null,
    keepExpiry: true,
    writer: null,
  };
  const written = await database
    .withTenant(tenantId, async (tx) => {
      const run = within(tx);
      let found = await writeEntry(run, tenantId, write);
      if (found.outcome === 'no-namespace') {
        if (!(await isDeclared(tx, tenantId, namespace))) throw new NotFoundError();
        await makeNamespace(tx, tenantId, namespace);
        found = await writeEntry(run, tenantId, write);
      }
      if (found.outcome !== 'written') throw toRefusal(found, namespace);
      const action = found.version === 1 ? 'create' : 'update';
      const metadata = { version: found.version };
      await recordAudit(tx, actor, { resource: auditedStateEntry, action, resourceId: resourceId(entry), metadata });
      return found;
    })
    .catch((error: unknown) => {
      const cap = findCap(error);
      throw cap ? toRefusal({ outcome: cap }, namespace) : error;
    });
  const { outcome: _outcome, ...times } = written;
  return { entry: { ...entry, value, ...times }, made: written.version === 1 };
}

/** Throws NotFoundError when there is no such entry. */
export async function deleteEntry({ database }: Deps, actor: Actor, entry: EntryKey): Promise<void> {
  const { tenantId } = actor;
  const { namespace, key } = entry;
  if (!namespacePattern.test(namespace) || !stateKey.safeParse(key).success) throw new NotFoundError();
  await database.withTenant(tenantId, async (tx) => {
    const { outcome } = await removeEntry(within(tx), tenantId, { namespace, key, version: null });
    if (outcome !== 'deleted') throw new NotFoundError();
    await recordAudit(tx, actor, { resource: auditedStateEntry, action: 'delete', resourceId: resourceId(entry) });
  });
}

function toRefusal(
  written: Exclude<Written, { outcome: 'written' | 'conflict' }> | { outcome: 'conflict'; found: number },
  namespace: string,
): AppError {
  switch (written.outcome) {
    case 'conflict':
      return new ConflictError(
        written.found === 0
          ? 'The entry does not exist or was deleted; read it again.'
          : `The entry is at version ${written.found}; read it again.`,
      );
    case 'no-namespace':
      return new ConflictError('The namespace was removed meanwhile; try again.');
    default:
      return new AppError('UNPROCESSABLE', fullMessage(written.outcome, namespace));
  }
}

/** Runs statements in a Prisma transaction, which reads int8 as bigint where the raw path reads numbers. */
const within =
  (tx: TenantTx): RunSql =>
  async <Row extends object>({ text, values }: { text: string; values: unknown[] }) => {
    const rows = await tx.$queryRawUnsafe<object[]>(text, ...values);
    return rows.map((row) => {
      const members = Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ]);
      return Object.fromEntries(members) as Row;
    });
  };
