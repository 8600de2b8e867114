import { Readable } from 'node:stream';
import { readParts, toForm } from '#src/automation/http-calls/forms.ts';
import { type FileReference, toFileName, toMediaType } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { AppError } from '#src/infra/errors.ts';
import { BinaryBody } from '#src/infra/http/binary-body.ts';
import { createRunFile, type FileDeps } from './run-files.service.ts';
import { assignFiles, expireUnassigned } from './run-files.store.ts';

/** A payload whose bytes are now references to files that belong to no run yet. */
interface Received {
  payload: unknown;
  /** Assigns the files to the started run. Files that are never assigned are deleted after thirty days. */
  assign(runId: number): Promise<void>;
  /** Discards the files of a request that had no effect. */
  drop(): Promise<void>;
}

/** The most files in one form. */
const maxFormFiles = 100;

const hasBinaryBody = (payload: unknown): payload is { body: BinaryBody } =>
  typeof payload === 'object' && payload !== null && 'body' in payload && payload.body instanceof BinaryBody;

/**
 * Stores the body of a payload as a file if it is binary, and each file of a multipart form. A form that cannot be read becomes one file, so
 * that nothing is lost. Throws PAYLOAD_TOO_LARGE above the limits of files.
 */
export async function receiveBody(deps: FileDeps, tenantId: string, payload: unknown): Promise<Received> {
  const made: FileReference[] = [];
  const ids = (): string[] => made.map(({ file }) => file);
  const received = (given: unknown): Received => ({
    payload: given,
    assign: (runId) => assignFiles(deps.database, { tenantId, runId }, ids()),
    drop: () => expireUnassigned(deps.database, tenantId, ids()),
  });
  if (!hasBinaryBody(payload)) return received(payload);
  const keep = async (name: string | undefined, type: string, bytes: Buffer): Promise<FileReference> => {
    const file = { name: toFileName(name, 'body'), type: toMediaType(type) };
    const reference = await createRunFile(deps, { tenantId, runId: 0 }, file, Readable.from([bytes]));
    made.push(reference);
    return reference;
  };
  const bytes = payload.body.read();
  const { contentType } = payload.body;
  try {
    const parts = await readParts(contentType, bytes);
    if (!parts) return received({ ...payload, body: await keep(undefined, contentType, bytes) });
    if (parts.filter(({ value }) => typeof value !== 'string').length > maxFormFiles)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `A form may have ${maxFormFiles} files. Send an archive, or several forms.`,
      );
    const values: { name: string; value: unknown }[] = [];
    for (const { name, value } of parts)
      values.push({
        name,
        value: typeof value === 'string' ? value : await keep(value.filename, value.type, value.bytes),
      });
    return received({ ...payload, body: toForm(values) });
  } catch (error) {
    await received(payload).drop();
    throw error instanceof NodeError ? new AppError('PAYLOAD_TOO_LARGE', error.message, error) : error;
  }
}
