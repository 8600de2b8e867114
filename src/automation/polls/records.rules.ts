import { createHash } from 'node:crypto';
import { type JsonPath, valueAt } from '#src/automation/http-calls/json-path.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { canonicalJson } from '#src/infra/json.ts';
import type { PollConfig } from './polls.inputs.ts';
import { type Position, toPosition } from './positions.rules.ts';

/** A record of a page. */
export interface PolledRecord {
  value: unknown;
  key: string;
  /** Identifies the record and its version. */
  identity: string;
  /** Undefined if the watermark is a cursor. */
  position: Position | undefined;
}

const at = (record: unknown, path: JsonPath): unknown => {
  const found = valueAt(record, path);
  return 'value' in found ? found.value : undefined;
};

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));

/** A record, or a sentence that says why the value cannot be used as one. */
export function readRecord(config: PollConfig, value: unknown): PolledRecord | { fault: string } {
  const { key: path, watermark } = config;
  const distinct = config.distinct_by ?? (watermark.by === 'id' ? 'key' : 'content');
  const given = at(value, path);
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean')
    return { fault: `It has ${shown(given)} at key ${JSON.stringify(path)}; a key is text or a number.` };
  const key = String(given);
  const own = watermark.by === 'cursor' ? undefined : at(value, watermark.field ?? []);
  const position = watermark.by === 'cursor' ? undefined : toPosition(own, watermark);
  if (watermark.by !== 'cursor' && position === undefined) {
    const wanted = watermark.by === 'id' ? 'an id' : 'a time';
    return {
      fault: `Record ${key.slice(0, 100)} has ${shown(own)} at watermark.field ${JSON.stringify(watermark.field)}, not ${wanted}.`,
    };
  }
  const version = distinct === 'content' ? value : distinct === 'watermark' ? own : null;
  const identity = createHash('sha256')
    .update(canonicalJson([key, version ?? null]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
  return { value, key, identity, position };
}

/** Reads the records of a page. Throws a NodeError for the first one that cannot be read. */
export const readRecords = (config: PollConfig, items: readonly unknown[]): PolledRecord[] =>
  items.map((item, index) => {
    const record = readRecord(config, item);
    if (!('fault' in record)) return record;
    throw new NodeError('POLL_RECORD', `Record ${index + 1} of a page cannot be used. ${record.fault}`);
  });
