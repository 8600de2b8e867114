import { z } from 'zod';

/** A file in the outputs of a step. A reader uses only `file`; the other members are for people and expressions. */
export interface FileReference {
  /** The id, which cannot be guessed. */
  file: string;
  name: string;
  /** Media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
}

/** The path within the archive, for a file that comes from one. */
type NamedFile = Pick<FileReference, 'file'> & { path?: string };

/** The media type of unknown bytes. */
export const binaryType = 'application/octet-stream';

const idPattern = /^file_[A-Za-z0-9_-]{22}$/;
const members: ReadonlySet<string> = new Set(['file', 'name', 'type', 'size', 'sha256', 'path']);

/** True for a well-formed id of a file, whether or not the file exists. */
export const isFileId = (text: string): boolean => idPattern.test(text);

/** True for a well-formed reference, whether or not the file exists. */
export function isFileReference(value: unknown): value is NamedFile {
  if (typeof value !== 'object' || value === null || !('file' in value)) return false;
  return typeof value.file === 'string' && isFileId(value.file) && Object.keys(value).every((key) => members.has(key));
}

/** The schema of a file reference in a config. */
export const fileReference = z.custom<NamedFile>(
  isFileReference,
  'must be a file reference, as the outputs of a step hold it.',
);

const maxNameLength = 255;
const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;\s*[\w-]{1,50}=("[^"\r\n]{0,100}"|[\w.+-]{1,100})){0,4}$/;

/** Makes a name safe to show and to save: without folders, control characters and marks that change the direction of text. Never empty. */
export function toFileName(given: string | undefined, fallback = 'file'): string {
  const last = (given ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').trim();
  if (name === '' || /^\.+$/.test(name)) return fallback;
  return name.length <= maxNameLength ? name : shorten(name);
}

/** Shortens a name. Keeps a short extension and splits no character. */
function shorten(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? '';
  return name.slice(0, maxNameLength - extension.length).replace(/[\ud800-\udbff]$/, '') + extension;
}

/** The given media type if it is valid, otherwise that of unknown bytes. */
export const toMediaType = (given: string | undefined): string =>
  given !== undefined && mediaType.test(given.trim()) ? given.trim() : binaryType;
