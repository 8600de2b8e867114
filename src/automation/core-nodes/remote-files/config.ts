import { z } from 'zod';

export const credentialId = z.union(
  [z.int().min(1), z.string().regex(/^\d{1,19}$/)],
  'must be the id of a credential.',
);

const maxPath = 1_000;

/** A path may come from an event, so it must not lead out of its directory or contain a line break, which could end a command. */
const isSafe = (path: string): boolean =>
  !/[\\\p{Cc}]/u.test(path) && path.split('/').every((part) => part !== '..' && part !== '.');

const rule = 'must be a path without backslashes, control characters, and the parts . and .. between slashes.';

/** A directory; empty for the one where paths begin. */
export const directoryPath = z.string().max(maxPath).refine(isSafe, rule);

/** The path of a file, or of a directory if it ends with a slash. */
export const anyPath = directoryPath.refine((path) => path !== '', 'is required.');

export const filePath = anyPath.refine((path) => !path.endsWith('/'), 'must name a file, not a directory.');

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
