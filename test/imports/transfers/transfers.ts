import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { startDueTransfers } from '#src/imports/transfers/due-transfers.service.ts';
import { type TestSftpServer, user } from '#test/infra/sftp/sftp-server.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

export interface Answer {
  __typename: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
  [payload: string]: unknown;
}

/** Runs a mutation and answers its payload or error. */
export async function mutate(
  api: TestApp,
  name: string,
  { input, select }: { input: object; select: string },
  as?: Caller,
): Promise<Answer> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const { data, errors } = await api.graphql<Record<string, Answer>>(
    `mutation ($input: ${type}Input!) {
      ${name}(input: $input) {
        __typename
        ... on ${type}Payload { ${select} }
        ... on Error { message }
        ... on ValidationError { fields { path messages } }
      }
    }`,
    { input },
    as,
  );
  expect(errors).toBeUndefined();
  return data[name] as Answer;
}

let made = 0;

/** Makes an account of the server, which egress may then call, and answers its id. */
export async function makeAccount(api: TestApp, server: TestSftpServer, given: object = {}): Promise<string> {
  api.egressAllow.add(`127.0.0.1:${server.port}`);
  const { host, port, hostKey } = server;
  const input = { name: `Account ${(made += 1)}`, host, port, hostKey, ...user, ...given };
  const answer = await mutate(api, 'createSftpAccount', { input, select: 'sftpAccount { id }' });
  expect(answer).toMatchObject({ sftpAccount: { id: expect.any(String) } });
  return (answer['sftpAccount'] as { id: string }).id;
}

/** Makes a schedule that runs only when a test says so, and answers its id. */
export async function makeSchedule(api: TestApp, kind: 'Import' | 'Export', given: object): Promise<string> {
  const input = { cron: '0 0 1 1 *', ...given };
  const field = `${kind.toLowerCase()}Schedule`;
  const answer = await mutate(api, `create${kind}Schedule`, { input, select: `${field} { id }` });
  expect(answer).toMatchObject({ [field]: { id: expect.any(String) } });
  return (answer[field] as { id: string }).id;
}

export interface Schedule {
  lastRunAt: string | null;
  lastSuccessAt: string | null;
  lastError: string | null;
  failures: number;
  nextRunAt: string | null;
}

export async function readSchedule(api: TestApp, kind: 'Import' | 'Export', id: string): Promise<Schedule> {
  const { data } = await api.graphql<{ schedule: Schedule }>(
    `query ($id: ID!) {
      schedule: ${kind.toLowerCase()}Schedule(id: $id) { lastRunAt lastSuccessAt lastError failures nextRunAt }
    }`,
    { id },
  );
  return data.schedule;
}

/** The integer of a global id. */
export const databaseId = (id: string): number => Number(Buffer.from(id, 'base64').toString().split(':')[1]);

/** Whether anything of a schedule is under way, or waits for the end of a job. */
async function isBusy({ database }: TestApp, id: string): Promise<boolean> {
  const [row] = await database.tenantQuery<{ busy: boolean }>('acme-shop', {
    text: `SELECT lease IS NOT NULL OR (requested_at IS NOT NULL AND retry_at IS NULL) OR (retry_at IS NULL AND EXISTS (
        SELECT FROM transfer_files f WHERE f.tenant_id = t.tenant_id AND f.transfer_id = t.id AND f.settled_at IS NULL)) AS busy
      FROM transfers t WHERE tenant_id = 'acme-shop' AND id = $1`,
    values: [databaseId(id)],
  });
  return row?.busy ?? true;
}

/** Waits until a schedule has done all that it can, as the periodic task of a worker resumes it. */
export async function settled(api: TestApp, kind: 'Import' | 'Export', id: string): Promise<Schedule> {
  await vi.waitFor(
    async () => {
      await startDueTransfers(api.deps);
      expect(await isBusy(api, id)).toBe(false);
    },
    { timeout: 30_000, interval: 50 },
  );
  return readSchedule(api, kind, id);
}

/** Runs a schedule and waits until it has done all that it can. */
export async function run(api: TestApp, kind: 'Import' | 'Export', id: string): Promise<Schedule> {
  const field = `${kind.toLowerCase()}Schedule`;
  const answer = await mutate(api, `run${kind}Schedule`, { input: { id }, select: `${field} { id }` });
  expect(answer).toMatchObject({ [field]: { id } });
  return settled(api, kind, id);
}

export interface TransferJob {
  id: number;
  name: string;
  status: string;
  rows_written: number;
}

/** The jobs of the files that a schedule fetched or wrote, in order. */
export const findJobs = ({ database }: TestApp, id: string): Promise<TransferJob[]> =>
  database.tenantQuery<TransferJob>('acme-shop', {
    text: `SELECT j.id, f.name, j.status, j.rows_written FROM transfer_files f
      JOIN bulk_jobs j ON j.tenant_id = f.tenant_id AND j.id = f.bulk_job_id
      WHERE f.tenant_id = 'acme-shop' AND f.transfer_id = $1 ORDER BY f.id`,
    values: [databaseId(id)],
  });

/** Puts a file on the server, whose time is so many seconds after the first. */
export async function place(server: TestSftpServer, name: string, content: string, seconds = 0): Promise<void> {
  const path = join(server.root, name);
  await writeFile(path, content);
  const at = new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
  await utimes(path, at, at);
}
