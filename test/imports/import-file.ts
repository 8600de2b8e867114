import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { imports } from '#src/domains/imports.ts';
import { releaseEventSet } from '#src/imports/event-sets/event-sets.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';
import { registerHandlers } from '#workers/register.ts';

export interface Job {
  id: number;
  status: string;
  rows_read: number;
  rows_written: number;
  rows_unchanged: number;
  rows_rejected: number;
  rejects_url: string | null;
  error: string | null;
  progress: number;
}

/** A new tenant, whose records and jobs are those of one test. */
export async function makeTenant({ database }: TestApp): Promise<string> {
  const id = `shop-${randomUUID()}`;
  await database.global.tenant.create({ data: { id, orgId: 'acme', name: id } });
  return id;
}

/** Takes jobs in this process, as a worker does. */
export const startImportWorker = (api: TestApp): Promise<void> =>
  registerHandlers(api.services, imports.handlers ?? []);

/** Hands out the events that imports left, as a worker does in its time. */
export async function tellOfImports({ database, services }: TestApp): Promise<void> {
  const { targets } = services.imports;
  while (await releaseEventSet({ database, targets, consumers: services.consumers }));
}

/** Sends a request to a signed address of the platform API. */
export async function atSigned(api: TestApp, method: 'GET' | 'PUT', url: string, payload?: string | Buffer) {
  const { pathname, search } = new URL(url);
  return api.app.inject({
    method,
    url: pathname + search,
    ...(payload !== undefined && { payload, headers: { 'content-type': 'text/csv' } }),
  });
}

/** Uploads a file and answers its id. */
export async function upload(api: TestApp, content: string | Buffer, tenant = 'acme-shop'): Promise<number> {
  const body = { filename: 'file.csv', content_type: 'text/csv' };
  const made = await callPlatform(api, 'POST', '/io/uploads', { body, tenant });
  expect(made.status).toBe(201);
  const sent = await atSigned(api, 'PUT', made.body['url'] as never, content);
  expect(sent.statusCode).toBe(204);
  return made.body['upload_id'] as never;
}

export async function makeProfile(
  api: TestApp,
  profile: object,
  tenant = 'acme-shop',
): Promise<{ id: number; name: string }> {
  const { status, body } = await callPlatform(api, 'POST', '/io/import-profiles', {
    tenant,
    body: { format: 'csv', target: 'stock', ...profile },
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as never;
}

/** The job, once it has ended. */
export const ended = (api: TestApp, id: number, tenant = 'acme-shop'): Promise<Job> =>
  vi.waitFor(
    async () => {
      const job = (await callPlatform(api, 'GET', `/io/bulk-jobs/${id}`, { tenant })).body as unknown as Job;
      expect(job.status).toMatch(/completed|failed|cancelled/);
      return job;
    },
    { timeout: 60_000, interval: 50 },
  );

/** The job, once it was run here, which takes less than to have a worker find it; one that has a worker already is waited for. */
export async function ran(api: TestApp, id: number, tenant = 'acme-shop'): Promise<Job> {
  await runBulkJob(api.services.imports, { tenantId: tenant, bulkJobId: id });
  return ended(api, id, tenant);
}

/** Imports a file by a profile's name, without a worker, and answers the ended job, whose numbers add up. */
export async function importFile(
  api: TestApp,
  content: string | Buffer,
  profile: string,
  { dryRun = false } = {},
): Promise<Job> {
  const body = { upload_id: await upload(api, content), profile, dry_run: dryRun };
  const started = await callPlatform(api, 'POST', '/io/imports', { body });
  expect(started.status).toBe(202);
  const job = await ran(api, started.body['id'] as never);
  expect(job.rows_read).toBe(job.rows_written + job.rows_unchanged + job.rows_rejected);
  return job;
}

/** What a job rejected, a line of CSV each, without the header. */
export async function readRejects(api: TestApp, { rejects_url: url }: Job): Promise<string[]> {
  if (url === null) return [];
  const { statusCode, payload } = await atSigned(api, 'GET', url);
  expect(statusCode).toBe(200);
  const [header, ...lines] = payload.trimEnd().split('\n');
  expect(header).toBe('line,column,value,reason');
  return lines;
}
