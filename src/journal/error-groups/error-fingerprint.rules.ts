import { createHash } from 'node:crypto';

export const errorGroupKinds = ['run', 'dead_letter', 'webhook_delivery'] as const;
export type ErrorGroupKind = (typeof errorGroupKinds)[number];

/** What two failures have in common that are grouped, besides the values in their messages. */
export interface Failure {
  kind: ErrorGroupKind;
  /** The node's slug, as `core:http_request`; null where no node failed. */
  node: string | null;
  code: string;
  /** Redacted already: what is stored with the item itself. */
  message: string;
}

export interface Fingerprint extends Failure {
  /** A UUID, equal for equal failures. */
  id: string;
}

/** Characters of a message that are fingerprinted. Errors that differ only after them share a group. */
const readChars = 2_000;
const keptChars = 500;

/** The order matters: a URL contains words with digits. */
const values: readonly [pattern: RegExp, placeholder: string][] = [
  [/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`]+/gi, '<url>'],
  [/[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}/g, '<email>'],
  [/"(?:[^"\\\n]|\\.)*"|“[^”\n]*”|`[^`\n]*`|‘[^’\n]*’|(?<!\w)'[^'\n]*'(?!\w)/g, '<text>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ][\d:.,]+(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/g, '<date>'],
];

const word = /[+-]?[\p{L}\p{N}_](?:[\p{L}\p{N}_.,/:+=-]*[\p{L}\p{N}_=])?/gu;
/** Random text without a digit, such as base64, is longer than words are. */
const longestWord = 40;

/** Ids, hashes, keys, amounts and addresses of hosts have a digit. One pass that never goes back: messages may be hostile. */
const isValue = (text: string): boolean => text.length > longestWord || /\p{N}/u.test(text);

/** A message with a placeholder for each value in it: URLs, addresses, quoted texts, dates, numbers, ids. */
export function stripValues(message: string): string {
  let text = message.slice(0, readChars);
  for (const [pattern, placeholder] of values) text = text.replace(pattern, placeholder);
  text = text.replace(word, (found) => (isValue(found) ? '<value>' : found));
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, keptChars).toWellFormed();
}

/** The group of a failure. Groups of tenants are apart by their keys. */
export function fingerprint({ kind, node, code, message }: Failure): Fingerprint {
  const pattern = stripValues(message);
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, node, code, pattern]))
    .digest('hex');
  const id = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)];
  return { id: id.join('-'), kind, node, code, message: pattern };
}
