import { sourceRequest } from '#src/imports/http-sources/source-request.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { maxUploadBytes } from '#src/imports/uploads/uploads.inputs.ts';
import type { Download } from '#src/infra/egress/download.ts';
import { deleteUnused } from '#src/infra/storage/object-references.ts';
import { assertProfile, importFetched } from './fetched-file.service.ts';
import { toConditions, hashVersion, httpVersion } from './http-version.rules.ts';
import { TransferFault } from './transfer-fault.rules.ts';
import { endedFiles, lastVersion, settleFile } from './transfer-files.store.ts';
import type { TakenTransfer } from './transfers.store.ts';

/** Milliseconds without a byte after which a server counts as silent. */
const idleMs = 30_000;

/** Imports the file of a source unless it is the last imported one. Returns whether it asked the server. */
export async function fetchFromHttp(deps: ImportDeps, transfer: TakenTransfer, signal: AbortSignal): Promise<boolean> {
  const { database, egress } = deps;
  const { tenantId } = transfer;
  for (const { id } of await endedFiles(database, transfer)) await settleFile(database, tenantId, id);
  if (transfer.requestedAt === null) return false;
  await assertProfile(deps, transfer);
  const { url, name, headers } = await sourceRequest(deps, { tenantId, id: Number(transfer.sourceId) });
  const last = await database.withTenantSql(tenantId, (tx) => lastVersion(tx, transfer));
  const answer = await egress.download({
    url,
    headers: { ...headers, ...toConditions(last) },
    secure: true,
    idleMs,
    signal,
  });
  try {
    if (isNew(answer, last)) await importAnswer(deps, transfer, { answer, name, last });
  } finally {
    answer.body.destroy();
  }
  return true;
}

/** True if a response has a file that differs from the last one. Throws TransferFault for a response without a file. */
function isNew({ status, headers }: Download, last: string | undefined): boolean {
  if (status === 304) return false;
  if (status >= 300 && status < 400)
    throw new TransferFault(`The server redirects (${status}). Give the source the address that it leads to.`);
  if (status !== 200) {
    throw new TransferFault(`The server answered ${status} instead of 200.`, {
      mayPass: status >= 500 || status === 429,
    });
  }
  const encoding = [headers['content-encoding']].flat().join(',').trim().toLowerCase();
  // A file that is packed with gzip is unpacked when it is read.
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding))
    throw new TransferFault('The server sends the file in an encoding that it was not asked for.');
  const version = httpVersion(headers);
  return version === undefined || version !== last;
}

async function importAnswer(
  deps: ImportDeps,
  transfer: TakenTransfer,
  { answer: { headers, body }, name, last }: { answer: Download; name: string; last: string | undefined },
): Promise<void> {
  const stored = await deps.storage.put(body, { maxBytes: maxUploadBytes });
  try {
    const version = httpVersion(headers) ?? hashVersion(stored.sha256);
    if (version === last) return;
    await importFetched(deps, transfer, {
      file: { name, version, stored },
      isKnown: async (tx) => (await lastVersion(tx, transfer)) !== last,
      isSettled: true,
    });
  } finally {
    await deleteUnused(deps, [stored.key]);
  }
}
