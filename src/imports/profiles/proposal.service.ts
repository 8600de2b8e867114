import { assertKind } from '#src/imports/formats/archives/file-kinds.ts';
import { isZip, unpackFile } from '#src/imports/formats/archives/open-file.ts';
import { detect, type Detected } from '#src/imports/formats/detect.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { unknownUpload, readUploadId } from '#src/imports/uploads/upload-id.rules.ts';
import { ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Storage } from '#src/infra/storage/storage.ts';
import type { Mapping } from './mapping.inputs.ts';
import { proposalInput } from './profiles.inputs.ts';
import { findTarget } from './profiles.service.ts';

/** Bytes from which the profile is proposed. */
const headBytes = 64 * 1024;

export interface Proposal extends Detected {
  /** The columns that are named as fields of the target; null where no target is given. */
  mapping: Mapping | null;
}

/**
 * Proposes a profile for an uploaded file, by the file's first bytes. ValidationError at `uploadId` for an unknown upload, and for
 * a file that cannot be unpacked.
 */
export async function proposeProfile(deps: ImportDeps, tenantId: string, given: unknown): Promise<Proposal> {
  const { uploadId, target: name } = parseInput(proposalInput, given);
  const target = name == null ? null : findTarget(deps.targets, name);
  const upload = await deps.database
    .reader(tenantId)
    .upload.findFirst({ where: { tenantId, id: readUploadId(uploadId) } });
  if (!upload) throw unknownUpload();
  if (upload.storageKey === null)
    throw new ConflictError('The file has not been sent yet. PUT it to the address of the upload first.');
  const detected = await detectStored(deps.storage, upload.storageKey);
  if (!target) return { ...detected, mapping: null };
  const columns = new Map(detected.columns.map((column) => [plainName(column), column]));
  const fields = target.columns({ mode: 'full' }).map((field) => field.name);
  const named = fields.filter((field) => columns.has(plainName(field)));
  return {
    ...detected,
    mapping: Object.fromEntries(named.map((field) => [field, columns.get(plainName(field)) as string])),
  };
}

/** `Customer number` is `customer_number`. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

async function detectStored(storage: Storage, key: string): Promise<Detected> {
  try {
    const packed = await readHead(storage, key, { format: 'xlsx' });
    // The names of an archive's files stand before their bytes.
    const isWorkbook =
      isZip(packed.head) && (packed.head.includes('[Content_Types].xml') || packed.head.includes('xl/'));
    const { head, isWhole } = isWorkbook ? packed : await readHead(storage, key);
    assertKind(head);
    return detect(head, { isWhole });
  } catch (error) {
    if (error instanceof FileFault) throw new ValidationError({ uploadId: [error.message] });
    throw error;
  }
}

async function readHead(
  storage: Storage,
  key: string,
  options: { format?: string } = {},
): Promise<{ head: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpackFile((await storage.stream(key)) as AsyncIterable<Buffer>, options)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > headBytes) return { head: Buffer.concat(chunks).subarray(0, headBytes), isWhole: false };
  }
  return { head: Buffer.concat(chunks), isWhole: true };
}
