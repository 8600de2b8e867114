import { Readable } from 'node:stream';
import { toFileName, toMediaType } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { AppError } from '#src/infra/errors.ts';
import { BinaryBody } from '#src/infra/http/binary-body.ts';
import { createRunFile, type FileDeps } from './run-files.service.ts';
import { assignFile, expireUnassigned } from './run-files.store.ts';

/** A payload. If its body was binary, the body is now a reference to a file that belongs to no run yet. */
interface Received {
  payload: unknown;
  /** Assigns the file to the started run. A file that is never assigned is deleted after thirty days. */
  assign(runId: number): Promise<void>;
  /** Discards the file of a request that had no effect. */
  drop(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

const hasBinaryBody = (payload: unknown): payload is { body: BinaryBody } =>
  typeof payload === 'object' && payload !== null && 'body' in payload && payload.body instanceof BinaryBody;

/** Stores the body of a payload as a file if it is binary. Throws PAYLOAD_TOO_LARGE above the limits of files. */
export async function receiveBody(deps: FileDeps, tenantId: string, payload: unknown): Promise<Received> {
  if (!hasBinaryBody(payload)) return { payload, assign: nothing, drop: nothing };
  const { body } = payload;
  const named = { name: toFileName('body'), type: toMediaType(body.contentType) };
  const reference = await createRunFile(deps, { tenantId, runId: 0 }, named, Readable.from([body.read()])).catch(
    (error: unknown) => {
      throw error instanceof NodeError ? new AppError('PAYLOAD_TOO_LARGE', error.message, error) : error;
    },
  );
  return {
    payload: { ...payload, body: reference },
    assign: (runId) => assignFile(deps.database, { tenantId, runId }, reference.file),
    drop: () => expireUnassigned(deps.database, tenantId, reference.file),
  };
}
