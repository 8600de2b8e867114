/** Why a block is left empty. */
export const emptyReasons = [
  'version_mismatch',
  'timeout',
  'too_large',
  'bad_status',
  'redirect',
  'unreachable',
  'not_html',
  'not_in_catalogue',
  'not_enabled',
  'invalid_props',
] as const;
export type EmptyReason = (typeof emptyReasons)[number];

/** What a block came to: its HTML, sanitised, in UTF-8 (encoding 20 KiB for each answer took an eighth of its time), or why it is empty. */
export type Rendering = { status: 'rendered'; html: Buffer } | Empty;

export interface Empty {
  status: 'empty';
  reason: EmptyReason;
  /** More about it, for the log: a sentence, or a fault of ours. */
  why?: string;
  err?: Error;
}

/** A page waits no longer than this for all of its blocks. */
export const renderLimitMs = 2_000;

/** A rendering is shown for so long without asking for it again, and for so long at most while it is asked for. */
export const freshMs = 30_000;
export const keptMs = 60_000;

/** For so long after a timeout an extension is not asked. */
export const breakerMs = 5_000;

/** An island that was given less time than this is not held to be slow. */
export const fairMs = 1_000;

export const maxIslandBytes = 256 * 1024;
