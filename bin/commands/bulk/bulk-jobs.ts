import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, type CommandIo } from '#bin/command.ts';
import { fetchFrom, type Platform, refused } from '#bin/reach-platform.ts';
import { asJson } from '#bin/reach-server.ts';

const pollMs = 500;
const downloadMs = 3_600_000;

export interface BulkJob {
  id: number;
  target: string;
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  dry_run: boolean;
  rows_read: number;
  rows_written: number;
  rows_unchanged: number;
  rows_rejected: number;
  progress: number;
  rejects_url: string | null;
  download_url: string | null;
  error: string | null;
}

/** Waits until the job has ended, with a progress bar on a terminal. The job continues when the command is interrupted. */
export async function followJob({ call }: Platform, started: BulkJob, io: CommandIo): Promise<BulkJob> {
  const since = performance.now();
  for (let job = started; ; job = await call<BulkJob>('GET', `/io/bulk-jobs/${started.id}`)) {
    const hasEnded = job.status !== 'queued' && job.status !== 'running';
    if (io.isTerminal) io.err(`\r\u001b[K${formatProgress(job, performance.now() - since)}${hasEnded ? '\n' : ''}`);
    if (hasEnded) return job;
    await pause(pollMs);
  }
}

const width = 30;

/** `[####----] 40 %  400,000 rows  80,000 rows/s  8 s left` */
export function formatProgress({ progress, rows_read: rows, status }: BulkJob, elapsedMs: number): string {
  const full = Math.round(progress * width);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${Math.floor(progress * 100)} %`;
  if (status === 'queued') return `${bar}  waiting for its turn`;
  const seconds = Math.max(elapsedMs / 1_000, 0.001);
  const rate = `${formatNumber(rows)} rows  ${formatNumber(Math.round(rows / seconds))} rows/s`;
  const left = progress > 0 && progress < 1 ? `  ${Math.ceil((seconds * (1 - progress)) / progress)} s left` : '';
  return `${bar}  ${rate}${left}`;
}

export const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** Downloads a signed URL to a file, completely or not at all. */
export async function download(url: URL, path: string): Promise<void> {
  const response = await fetchFrom(url, {}, downloadMs);
  if (!response.ok || !response.body) throw refused(response.status, asJson(await response.text()));
  const part = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const { code, path: place } = error as NodeJS.ErrnoException;
    // Only errors of the file system name a path; those of a broken connection do not.
    if (place === undefined && code !== 'ENOSPC') throw error;
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
