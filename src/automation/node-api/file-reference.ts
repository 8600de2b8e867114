import { z } from 'zod';

/** A file in the outputs of a step. Only `file` counts when it is read; the other members are for people and expressions. */
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

/** A file of an archive also has its place there. */
type NamedFile = Pick<FileReference, 'file'> & { path?: string };

/** The media type of bytes about which nothing is known. */
export const binaryType = 'application/octet-stream';

const idPattern = /^file_[A-Za-z0-9_-]{22}$/;
const members: ReadonlySet<string> = new Set(['file', 'name', 'type', 'size', 'sha256', 'path']);

/** True for the id of a file, whether or not there is one. */
export const isFileId = (text: string): boolean => idPattern.test(text);

/** True for a value that is written like a reference, whether or not there is such a file. */
export function isFileReference(value: unknown): value is NamedFile {
  if (typeof value !== 'object' || value === null || !('file' in value)) return false;
  return typeof value.file === 'string' && isFileId(value.file) && Object.keys(value).every((key) => members.has(key));
}

/** A member of a config that takes a reference. */
export const fileReference = z.custom<NamedFile>(
  isFileReference,
  'must be a file reference, as the outputs of a step hold it.',
);

const maxNameLength = 255;
const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;\s*[\w-]{1,50}=("[^"\r\n]{0,100}"|[\w.+-]{1,100})){0,4}$/;

/** A name that can be shown and saved: without folders, control characters and marks that change the order of text; never empty. */
export function toFileName(given: string | undefined, fallback = 'file'): string {
  const last = (given ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').trim();
  if (name === '' || /^\.+$/.test(name)) return fallback;
  return name.length <= maxNameLength ? name : shorten(name);
}

/** Keeps a short extension, and cuts no character in two. */
function shorten(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? '';
  return name.slice(0, maxNameLength - extension.length).replace(/[\ud800-\udbff]$/, '') + extension;
}

/** The media type as given, or that of unknown bytes. */
export const toMediaType = (given: string | undefined): string =>
  given !== undefined && mediaType.test(given.trim()) ? given.trim() : binaryType;
