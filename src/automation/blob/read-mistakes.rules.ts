import { type PathStep, type ReadPath, readPaths, unquoteNodeIds } from '#src/automation/expressions/read-paths.ts';
import type { Port } from '#src/automation/node-api/manifest.ts';
import { nearest } from './issues.rules.ts';

/** What the expressions of a node can read. */
export interface Readable {
  /** The outputs of each node by its id, of which none is known for a node with outputs of any name. */
  outputs: ReadonlyMap<string, readonly Port[]>;
  /** It stands in a loop, or is a filter. */
  hasItem: boolean;
}

/** A path that finds nothing, or not what its author meant. */
export interface ReadMistake {
  message: string;
  /** The expression as it was probably meant; undefined where nobody can tell. */
  meant?: string;
}

/** A part of the text, and what it was probably meant to be. */
interface Edit {
  from: number;
  to: number;
  write: string;
}

interface Finding {
  why: string;
  edits?: readonly Edit[];
}

const always = ['trigger', 'nodes', 'run', 'secrets'];
const loopNames = ['item', 'index'];
const known: Readonly<Record<string, readonly string[]>> = {
  trigger: ['payload', 'type', 'handle'],
  run: ['id', 'started_at'],
};

/** What an expression reads that is not there, as far as its scope is known before a run. */
export function findReadMistakes(source: string, readable: Readable): ReadMistake[] {
  const { text, paths } = readPaths(source, new Set(readable.outputs.keys()));
  return paths.flatMap((path) => {
    const unknown = path.isFromScope ? findUnknown(path.steps, readable) : undefined;
    const findings = [unknown, findLength(text, path, readable)].filter((finding) => finding !== undefined);
    return findings.length === 0 ? [] : [describe(text, path, findings)];
  });
}

function describe(text: string, { steps, start, last }: ReadPath, findings: readonly Finding[]): ReadMistake {
  const why = findings.map((finding) => finding.why).join(' ');
  const edits = findings.flatMap((finding) => finding.edits ?? []);
  if (edits.length === 0) return { message: why };
  const end = Math.max(steps.at(-1)?.to ?? 0, last?.to ?? 0);
  const path = edited(text.slice(0, end), edits).slice(start);
  return { message: `${why} Did you mean ${unquoteNodeIds(path)}?`, meant: unquoteNodeIds(edited(text, edits)) };
}

/** The last edit comes first, so that the places of the others stay. */
const edited = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((one, other) => other.from - one.from)
    .reduce((whole, { from, to, write }) => whole.slice(0, from) + write + whole.slice(to), text);

/** The first member of a path that the scope does not have. */
function findUnknown(steps: readonly PathStep[], readable: Readable): Finding | undefined {
  const [first, second] = steps;
  if (!first) return undefined;
  const { name } = first;
  if (name === 'nodes') return second && findInNodes(second, steps, readable);
  if (always.includes(name) || (readable.hasItem && loopNames.includes(name))) {
    return second && findMember(first, second);
  }
  const isLoopName = loopNames.includes(name);
  const names = [...always, ...(readable.hasItem ? loopNames : [])];
  const why = isLoopName
    ? `"${name}" is known only in a loop and in the condition of core:filter, so this finds nothing.`
    : `Nothing is called "${name}" here, so this finds nothing: expressions begin with ${listed(names)}.`;
  const meant = isLoopName ? undefined : meantRoot(steps, names, readable);
  return meant === undefined ? { why } : { why, edits: [meant] };
}

/** What a path probably begins with whose first name is not in scope. */
function meantRoot(
  [first, second, third]: readonly PathStep[],
  names: readonly string[],
  { outputs, hasItem }: Readable,
): Edit | undefined {
  const { name, from, to } = first as PathStep;
  const replace = (write: string): Edit => ({ from, to, write });
  if (outputs.has(name)) return replace(outputsPath(name, second));
  const near = nearest(name, names);
  if (second && outputs.has(second.name) && (near === 'nodes' || /^(?:steps?|outputs?)$/i.test(name)))
    return { from, to: second.to, write: outputsPath(second.name, third) };
  if (near !== undefined) return replace(near);
  if (name === 'event') return undefined;
  if (name === 'payload') return replace('trigger.payload');
  const [holder, ...others] = [...outputs].filter(([, ports]) => ports.some((port) => port.name === name));
  if (holder && others.length === 0) return replace(`nodes.${quoted(holder[0])}.outputs.${quoted(name)}`);
  return replace(`${hasItem ? 'item' : 'trigger.payload'}.${quoted(name)}`);
}

const outputsPath = (id: string, next: PathStep | undefined): string =>
  `nodes.${quoted(id)}${next?.name === 'outputs' ? '' : '.outputs'}`;

function findMember(first: PathStep, { name, from, to }: PathStep): Finding | undefined {
  const members = known[first.name];
  if (!members || members.includes(name)) return undefined;
  const why = `"${first.name}" has only ${listed(members)}, so this finds nothing.`;
  const near = nearest(name, members);
  const write = near ?? (first.name === 'trigger' ? `payload.${quoted(name)}` : undefined);
  return { why, ...(write !== undefined && { edits: [{ from, to, write }] }) };
}

function findInNodes(id: PathStep, steps: readonly PathStep[], { outputs }: Readable): Finding | undefined {
  const ports = outputs.get(id.name);
  const [, , third, fourth] = steps;
  if (!ports) {
    // With `.outputs` behind it, a node that is not there is reported as such.
    if (third?.name === 'outputs') return undefined;
    const near = nearest(id.name, outputs.keys());
    const why = `There is no node "${id.name}", so this finds nothing.`;
    const write = near === undefined ? undefined : `${quoted(near)}${third ? '.outputs' : ''}`;
    return { why, ...(write !== undefined && { edits: [{ from: id.from, to: id.to, write }] }) };
  }
  if (!third) return undefined;
  if (third.name !== 'outputs') {
    const why = `Of a node, only its outputs can be read, so nodes.${id.name}.${third.name} finds nothing.`;
    const near = nearest(third.name, ['outputs']);
    const write = near ?? `outputs.${quoted(third.name)}`;
    return { why, edits: [{ from: third.from, to: third.to, write }] };
  }
  return fourth && findOutput(id.name, ports, fourth);
}

function findOutput(id: string, ports: readonly Port[], { name, from, to }: PathStep): Finding | undefined {
  const names = ports.map((port) => port.name);
  // A node that has failed leaves its error, where the workflow goes on.
  if (names.length === 0 || names.includes(name) || name === 'error') return undefined;
  const why = `"${id}" declares no output "${name}", so this probably finds nothing: it has ${listed(names)}.`;
  const near = nearest(name, names);
  const [open, ...more] = ports.filter(({ type = 'any' }) => type === 'any');
  const inner = open && more.length === 0 ? `${quoted(open.name)}.${quoted(name)}` : undefined;
  const write = near === undefined ? inner : quoted(near);
  return { why, ...(write !== undefined && { edits: [{ from, to, write }] }) };
}

/** Names of one measure, which may well have a length. */
const measures = /(?:dimensions?|measures?|measurements?|sizes?)$/i;
const plural = /(?:[^sui]s|list|array|children)$/i;

/** `.length` at the end of a list, which elsewhere is the number of its items. */
function findLength(text: string, path: ReadPath, { outputs }: Readable): Finding | undefined {
  const { steps, start, last, isCounted } = path;
  const before = steps.findLast(({ to }) => last !== undefined && to < last.from);
  if (last?.name !== 'length' || !before) return undefined;
  const [root, id, , port] = steps;
  const isOutput = root?.name === 'nodes' && before === port;
  const type = isOutput ? outputs.get(id?.name ?? '')?.find(({ name }) => name === port.name)?.type : undefined;
  const isLikely = isCounted || plural.test(before.name);
  if (type !== 'array' && type !== 'string' && (measures.test(before.name) || !isLikely)) return undefined;
  const [what, counter] =
    type === 'string' ? ['how long a text is', '$length'] : ['how many items there are', '$count'];
  const why = `".length" reads a member of that name, and does not tell ${what}.`;
  const dot = last.from - 1;
  if (text[dot] !== '.') return { why };
  return {
    why,
    edits: [
      { from: start, to: start, write: `${counter}(` },
      { from: dot, to: last.to, write: ')' },
    ],
  };
}

const quoted = (name: string): string => (/^(?!(?:and|or|in)$)[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``);

const listed = (names: readonly string[]): string => {
  const shown = names.length > 8 ? [...names.slice(0, 8), '…'] : names;
  return shown.length === 1 ? String(shown[0]) : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
};
