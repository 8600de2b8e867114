import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FSDriver } from 'flydrive/drivers/fs';
import { syncDirectory } from './kept-file.ts';

/**
 * Makes flydrive's disk driver atomic and durable. The original's stream rejects while its file is still being opened, so
 * cleanup comes too early; its move copies and unlinks, so a crash leaves half an object under its final key; and neither
 * syncs to disk, so the database could refer to an object that is not there.
 */
class DurableDisk extends FSDriver {
  readonly #root: string;

  constructor(root: string) {
    super({ location: root, visibility: 'private' });
    this.#root = root;
  }

  override async putStream(key: string, contents: Readable): Promise<void> {
    const path = join(this.#root, key);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(contents, createWriteStream(path, { flush: true, mode: 0o600 }));
  }

  override async move(source: string, destination: string): Promise<void> {
    const path = join(this.#root, destination);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(this.#root, source), path);
    await syncDirectory(dirname(path));
    await syncDirectory(dirname(dirname(path)));
  }
}

/** A flydrive driver for createStorage that keeps objects in the directory `root`, which it creates when missing. */
export const createDiskDriver = (root: string): FSDriver => new DurableDisk(root);
