import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FSDriver } from 'flydrive/drivers/fs';

/** A disk driver that writes to a device without space. */
class FullDisk extends FSDriver {
  override async putStream(_key: string, contents: Readable): Promise<void> {
    await pipeline(contents, createWriteStream('/dev/full'));
  }
}

export const createFullDisk = (root: string): FSDriver => new FullDisk({ location: root, visibility: 'private' });
