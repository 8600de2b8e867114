import { finished, type Readable, Transform } from 'node:stream';
import type { Upload } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { deleteUnused, keepObject } from '#src/infra/storage/object-references.ts';
import { createUploadInput, maxUploadBytes } from './uploads.inputs.ts';
import { claimUpload, deleteStaleUploads } from './uploads.store.ts';

type UploadDeps = Pick<Deps, 'database' | 'storage'>;

/** Announces a file; the caller answers the signed address that it is sent to. */
export async function createUpload({ database }: UploadDeps, actor: Actor, given: unknown): Promise<Upload> {
  const { size, ...input } = parseInput(createUploadInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, (tx) =>
    tx.upload.create({ data: { ...input, tenantId, size: size == null ? null : BigInt(size) } }),
  );
}

/**
 * Stores the file of an upload, once. Throws ConflictError for a second one, and ValidationError for another size than announced;
 * the address then stays good.
 */
export async function receiveUpload(
  deps: UploadDeps,
  { tenantId, id }: { tenantId: string; id: number },
  { body, length, type }: { body: Readable; length: number | null; type?: string | undefined },
): Promise<void> {
  const { database, storage } = deps;
  const claimed = await claimUpload(database, tenantId, id);
  if (!claimed)
    throw new ConflictError('A file was sent to this address, or is being sent. Make another upload for another file.');
  const { size, contentType } = claimed;
  let stored: { key: string; bytes: number } | undefined;
  try {
    if (!isOfType(type, contentType))
      throw new ValidationError({
        contentType: [`The upload was announced as ${contentType}. Send it with that type.`],
      });
    if (size !== null && length !== null && length !== size) throw wrongSize(size);
    const { key, bytes } = await storage.put(body.pipe(ofSize(size, body)), { maxBytes: maxUploadBytes });
    await database.withTenantSql(tenantId, async (tx) => {
      await keepObject(tx, deps, key);
      await tx.query(
        `UPDATE uploads SET storage_key = $3, bytes = $4, receiving_since = NULL WHERE tenant_id = $1 AND id = $2`,
        [tenantId, id, key, bytes],
      );
    });
    stored = { key, bytes };
  } finally {
    if (!stored)
      await database.tenantQuery(tenantId, {
        text: 'UPDATE uploads SET receiving_since = NULL WHERE tenant_id = $1 AND id = $2',
        values: [tenantId, id],
      });
  }
}

/** Types that clients send by default. */
const unsaid = new Set(['application/octet-stream', 'application/x-www-form-urlencoded', 'text/plain']);

function isOfType(sent: string | undefined, announced: string): boolean {
  const readMediaType = (text: string): string => (text.split(';')[0] ?? '').trim().toLowerCase();
  return sent === undefined || unsaid.has(readMediaType(sent)) || readMediaType(sent) === readMediaType(announced);
}

const wrongSize = (size: number): ValidationError =>
  new ValidationError({ size: [`The upload was announced with ${size} bytes. Send a file of that size.`] });

/** Passes the announced number of bytes on and fails with any other. */
function ofSize(size: number | null, source: Readable): Transform {
  let bytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (size !== null && bytes > size) return done(wrongSize(size));
      return done(null, chunk);
    },
    flush: (done) => done(size !== null && bytes !== size ? wrongSize(size) : null),
  });
  // `pipe` does not pass on that the sender went away, perhaps before this was called.
  finished(source, { writable: false }, (error) => {
    if (error) through.destroy(new AppError('BAD_REQUEST', 'The file was cut short. Send it again.', error));
  });
  return through;
}

/** Deletes uploads not imported within a day and files that no longer belong to an upload. Returns whether more may be left. */
export async function sweepUploads(deps: UploadDeps): Promise<boolean> {
  const keys = await deleteStaleUploads(deps.database.system);
  await deleteUnused(deps, keys);
  return keys.length > 0;
}
