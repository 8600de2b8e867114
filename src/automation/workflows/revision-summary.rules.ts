import type { BlobDiff, Change, ChangedNode, DiffEdge } from './revision-diff.rules.ts';

/** Limits of one diff as shown, so that two large blobs do not cause a response many times their size. */
export const diffLimits = {
  /** Nodes, edges and changes together. */
  entries: 500,
  /** Characters of one value as JSON; of a longer one, only the beginning of that text is shown. */
  value: 1_000,
  lines: 200,
  /** Characters of a value within a line of the summary. */
  inLine: 80,
} as const;

const cutText = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** A value as it is shown: the beginning of its text where that is long. */
function shortValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length <= diffLimits.value ? value : cutText(text, diffLimits.value);
}

/** A change with its path and values as they are shown. */
export const shortChange = ({ path, ...sides }: Change): Change => ({
  path: cutText(path, diffLimits.value),
  ...Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, shortValue(value)])),
});

/** The diff within the limits; `truncated` says whether something was cut or left out. */
export function boundDiff(diff: BlobDiff): BlobDiff & { truncated: boolean } {
  let left: number = diffLimits.entries;
  let truncated = false;

  function take<T>(list: readonly T[], cut: (item: T) => T = (item) => item): T[] {
    const taken = list.slice(0, left);
    left -= taken.length;
    truncated ||= taken.length < list.length;
    return taken.map(cut);
  }
  function cutChange(change: Change): Change {
    const short = shortChange(change);
    truncated ||= short.from !== change.from || short.to !== change.to;
    return short;
  }
  function cutNode(whole: Record<string, unknown>): Record<string, unknown> {
    if (JSON.stringify(whole).length <= 2 * diffLimits.value) return whole;
    truncated = true;
    const { id, node, version, config } = whole;
    return { id, node, version, config: cutText(JSON.stringify(config) ?? '', diffLimits.value) };
  }
  const cutEdge = ({ from, to }: DiffEdge): DiffEdge => ({
    from: 'trigger' in from ? { trigger: from.trigger } : { node: from.node, branch: from.branch ?? 'default' },
    to,
  });
  const cutChanged = ({ id, changes }: ChangedNode): ChangedNode => ({ id, changes: take(changes, cutChange) });

  const settings = take(diff.settings, cutChange);
  const state = take(diff.state, cutChange);
  const nodes = {
    added: take(diff.nodes.added, cutNode),
    removed: take(diff.nodes.removed, cutNode),
    changed: take(diff.nodes.changed, cutChanged),
  };
  const edges = { added: take(diff.edges.added, cutEdge), removed: take(diff.edges.removed, cutEdge) };
  return { nodes, edges, settings, state, reordered: diff.reordered, truncated };
}

/** The diff as lines for people; empty when nothing differs. */
export function summarise({ nodes, edges, settings, state, reordered }: BlobDiff): string[] {
  const lines = [
    ...nodes.added.map((node) => `Added ${nodeTitle(node)}.`),
    ...nodes.removed.map((node) => `Removed ${nodeTitle(node)}.`),
    ...nodes.changed.flatMap(({ id, changes }) => changeLines(`${id}: `, changes)),
    ...edges.added.map((edge) => `Connected ${formatEdge(edge)}.`),
    ...edges.removed.map((edge) => `Disconnected ${formatEdge(edge)}.`),
    ...changeLines('', [...settings, ...state]),
    ...(reordered ? ['Only the order of nodes or edges changed.'] : []),
  ];
  const more = lines.length - diffLimits.lines;
  return more > 0 ? [...lines.slice(0, diffLimits.lines), `… and ${more} more.`] : lines;
}

const nodeTitle = ({ id, node, version }: Record<string, unknown>): string =>
  `${String(id)} (${String(node)} ${String(version)})`;

function formatEdge({ from, to }: DiffEdge): string {
  if ('trigger' in from) return `trigger ${from.trigger} → ${to}`;
  return from.branch === undefined || from.branch === 'default'
    ? `${from.node} → ${to}`
    : `${from.node} (${from.branch}) → ${to}`;
}

function changeLines(prefix: string, changes: readonly Change[]): string[] {
  const moved = changes.filter(({ path }) => path === 'position' || path.startsWith('position.'));
  const others = changes.filter((change) => !moved.includes(change));
  return [
    ...others.map((change) => `${prefix}${cutText(change.path, diffLimits.inLine)} ${whatChanged(change)}.`),
    ...(moved.length > 0 ? [`${prefix}moved in the editor.`] : []),
  ];
}

const shown = (value: unknown): string => cutText(JSON.stringify(value) ?? '', diffLimits.inLine);

function whatChanged(change: Change): string {
  if (!('from' in change)) return `set to ${shown(change.to)}`;
  return 'to' in change ? `${shown(change.from)} → ${shown(change.to)}` : `removed (was ${shown(change.from)})`;
}
