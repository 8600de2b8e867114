import type { TextPlace } from '#src/automation/node-api/builtin-node.ts';
import type { WorkflowGraph } from './blob.inputs.ts';

export const issueCodes = [
  'invalid_blob',
  'invalid_value',
  'required',
  'invalid_expression',
  'unknown_node',
  'invalid_version',
  'unknown_version',
  'not_built',
  'duplicate_id',
  'unknown_edge_end',
  'unknown_branch',
  'trigger_in_loop',
  'cycle',
  'too_large',
  'undeclared_namespace',
  'missing_reference',
  'unreachable',
  'detached',
  'unknown_reference',
  'unknown_member',
  'missing_secret',
  'unknown_field',
] as const;

export type IssueCode = (typeof issueCodes)[number];

/** A change of the blob that would mend an issue: a member set to a value, or removed. */
export type IssueFix = { op: 'set'; path: string; value: unknown } | { op: 'remove'; path: string };

/** An error or a probable mistake in a blob, with its place and its fix. */
export interface BlobIssue {
  severity: 'error' | 'warning';
  code: IssueCode;
  /** Members and indexes joined by dots: `blob.nodes.0.config.url`. */
  path: string;
  message: string;
  fix?: IssueFix;
  /** Line and column in the member's text, counted from 1. Present only if the text is in another language, such as code. */
  place?: TextPlace;
}

export const setTo = (path: string, value: unknown): IssueFix => ({ op: 'set', path, value });

export const remove = (path: string): IssueFix => ({ op: 'remove', path });

/** Sets a misspelt name to the known one that is nearest to it; undefined when none is near. */
export function setToNearest(path: string, name: string, known: Iterable<string>): IssueFix | undefined {
  const found = nearest(name, known);
  return found === undefined ? undefined : setTo(path, found);
}

/** The known name from which this one differs least, by at most a third of its letters. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.floor(name.length / 3) + 1;
  for (const each of known) {
    // Names have at most 128 characters; this spares most comparisons of long lists.
    if (Math.abs(each.length - name.length) >= least) continue;
    const edits = distance(name.toLowerCase(), each.toLowerCase());
    if (edits >= least) continue;
    best = each;
    least = edits;
  }
  return best;
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let other = 1; other <= to.length; other += 1) {
      const replaced = (row[other - 1] ?? 0) + (from[at - 1] === to[other - 1] ? 0 : 1);
      next.push(Math.min((row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

const maxIdLength = 64;

/** An id that no node of the graph has: `send-2` for a second `send`. */
export function freeId(id: string, { nodes }: WorkflowGraph): string {
  const taken = new Set(nodes.map((node) => node.id));
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const free = `${id.slice(0, maxIdLength - suffix.length)}${suffix}`;
    if (!taken.has(free)) return free;
  }
}

/** An issue with the node that it is in. */
export interface PlacedIssue extends BlobIssue {
  /** The path of its ids: `each/send`; null for what is in no node. */
  node: string | null;
  /** The path within the node; null for the whole node. */
  field: string | null;
}

const nodePlace = /^(?:config\.body\.)?nodes\.(\d+)(?:\.|$)/;

/** The issues of a blob, errors first. Takes the blob as given, since it may not be valid. */
export const placedIssues = (blob: unknown, issues: readonly BlobIssue[]): PlacedIssue[] =>
  issues
    .toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
    .map((issue) => ({ ...issue, ...nodeAt(blob, issue.path) }));

function nodeAt(blob: unknown, path: string): Pick<PlacedIssue, 'node' | 'field'> {
  const ids: string[] = [];
  let rest = path.replace(/^blob\.?/, '');
  let graph = blob;
  for (;;) {
    const [place, index] = nodePlace.exec(rest) ?? [];
    // A loop's own body is a field of the loop; a node inside it is a node.
    if (place === undefined || place.startsWith('config.') !== ids.length > 0) break;
    const node = member(member(graph, 'nodes'), index ?? '');
    const id = member(node, 'id');
    if (typeof id !== 'string') break;
    ids.push(id);
    rest = rest.slice(place.length);
    graph = member(member(node, 'config'), 'body');
  }
  return ids.length === 0 ? { node: null, field: null } : { node: ids.join('/'), field: rest === '' ? null : rest };
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
