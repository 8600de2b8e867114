import { nameSource } from '#src/automation/connectors/packages/source-name.ts';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { ConflictError, ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { ApiSource } from './api-packages.inputs.ts';

/** The largest description that the server reads, in bytes. */
const maxBytes = 50 * 1024 * 1024;
const timeoutMs = 60_000;

export interface LoadedSource {
  bytes: Uint8Array;
  /** The URL of the description; empty for a file. */
  from: string;
  /** The name that is kept with the package. */
  source: string;
}

type SourceDeps = Pick<Deps, 'database' | 'storage' | 'egress'>;

/** Loads a description. `tenantId` is null for a request without a tenant, which has no uploads. Throws a ValidationError. */
export async function loadSource(
  deps: SourceDeps,
  tenantId: string | null,
  { text, uploadId, url, filename }: ApiSource,
): Promise<LoadedSource> {
  if (url != null) return { bytes: await fetchSource(deps, url), from: url, source: nameSource(url) };
  if (uploadId != null) return readUpload(deps, tenantId, uploadId);
  return { bytes: Buffer.from(text ?? ''), from: '', source: nameSource(filename || 'description') };
}

async function fetchSource({ egress }: SourceDeps, url: string): Promise<Uint8Array> {
  const refuse = (message: string): never => {
    throw new ValidationError({ 'source.url': [message] });
  };
  const answer = await egress
    .request({ url, timeoutMs, maxBytes, redirects: 5, headers: { accept: '*/*' } })
    .catch((error: unknown) => {
      if (error instanceof EgressError) return refuse(error.message);
      throw error;
    });
  if (answer.status >= 300)
    refuse(`The address answered ${answer.status}. If it needs a login, save the description as a file.`);
  return answer.body;
}

async function readUpload(
  { database, storage }: SourceDeps,
  tenantId: string | null,
  given: string,
): Promise<LoadedSource> {
  const unknown = () => new ValidationError({ 'source.uploadId': ['There is no such upload in the tenant.'] });
  if (tenantId === null) throw unknown();
  const upload = await database.reader(tenantId).upload.findFirst({
    where: { tenantId, id: readId('Upload', given) },
    select: { storageKey: true, filename: true },
  });
  if (!upload) throw unknown();
  if (upload.storageKey === null)
    throw new ConflictError('The file has not been sent yet. PUT it to the address of the upload first.');
  return { bytes: await storage.get(upload.storageKey, { maxBytes }), from: '', source: nameSource(upload.filename) };
}
