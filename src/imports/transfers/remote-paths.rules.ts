import { posix } from 'node:path';
import type { TakenTransfer } from './transfers.store.ts';

type Moving = Pick<TakenTransfer, 'path' | 'movedTo'>;

/** The directory for files whose import failed, below the one they came from. */
const failedDirectory = 'failed';

export const remotePath = ({ path }: Pick<Moving, 'path'>, name: string): string => posix.join(path, name);

/** The directory that a file is moved into once its job has ended. */
export const directoryAfter = ({ path, movedTo }: Moving, hasFailed: boolean): string => {
  if (hasFailed) return posix.join(path, failedDirectory);
  return posix.isAbsolute(movedTo) ? posix.normalize(movedTo) : posix.join(path, movedTo);
};

/** True if files that are moved aside would be found again as new ones, because they get another name. */
export const movesIntoItself = (moving: Moving): boolean =>
  withoutSlash(directoryAfter(moving, false)) === withoutSlash(posix.normalize(moving.path));

const withoutSlash = (path: string): string => path.replace(/(?<=.)\/$/, '');
