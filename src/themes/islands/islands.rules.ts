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

/**
 * The result of a block: its sanitised HTML in UTF-8 (encoding 20 KiB for each response took an eighth of its time), or the reason why it
 * is empty.
 */
export type Rendering = { status: 'rendered'; html: Buffer } | Empty;

export interface Empty {
  status: 'empty';
  reason: EmptyReason;
  /** Details for the log: a sentence, or an error of ours. */
  why?: string;
  err?: Error;
}

/** The longest that a page waits for all of its blocks. */
export const renderLimitMs = 2_000;

/** A rendering is served without a new request for `freshMs`, and during a new request until `keptMs`. */
export const freshMs = 30_000;
export const keptMs = 60_000;

/** After a timeout an extension is not called for this long. */
export const breakerMs = 5_000;

/** An island that had less time than this does not count as slow. */
export const fairMs = 1_000;

export const maxIslandBytes = 256 * 1024;
