import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { Actor } from '#src/infra/deps.ts';
import { previewWithin, type Seen } from './expression-preview.service.ts';
import type { ItemList, ScopePart } from './expression-scope.rules.ts';

/** Who asks, and the request whose evaluations share one limit. */
interface Asking {
  deps: NodeDeps;
  actor: Actor;
  request: object;
}

/** An item of the innermost loop or filter. */
interface ChosenItem {
  /** Undefined where the list is shorter, or yields no items. */
  item: unknown;
  index: number;
  /** How many items each list has, from the outermost; null where it yields none. */
  counts: (number | null)[];
}

/** The parts of a scope that an item adds. */
export async function itemParts(
  asking: Asking,
  lists: readonly ItemList[],
  seen: Seen | null,
  items: readonly number[],
): Promise<ScopePart[]> {
  const { item, index } = seen ? await chosenItem(asking, lists, seen, items) : {};
  return [
    { name: 'item', path: 'item', value: item },
    { name: 'index', path: 'index', value: index, type: 'number' },
  ];
}

/** The items at the given places of nested lists, each evaluated as a run would: what an outer item is decides what the inner list holds. */
export async function chosenItem(
  asking: Asking,
  lists: readonly ItemList[],
  seen: Seen,
  items: readonly number[],
): Promise<ChosenItem> {
  const chosen: ChosenItem = { item: undefined, index: 0, counts: [] };
  for (const [depth, { node }] of lists.entries()) {
    const scope = { ...seen, item: chosen.item, index: chosen.index };
    const given = node.config['items'];
    const place = items[depth] ?? 0;
    // The config may list the items itself; then only the chosen one is evaluated. A list that an expression yields is data and is not
    // evaluated again.
    const list = Array.isArray(given) ? given : asList(await evaluated(asking, given, scope));
    chosen.item = Array.isArray(given) ? await evaluated(asking, given[place], scope) : list?.[place];
    chosen.index = place;
    chosen.counts.push(list?.length ?? null);
  }
  return chosen;
}

/** A single value counts as a list of one, so that its members can be seen before the expression is mended. */
const asList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : value == null ? undefined : [value];

/** The texts that the chosen items of lists depend on. */
export function itemTexts(lists: readonly ItemList[], items: readonly number[]): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' ? Object.values(value ?? {}).flatMap(texts) : [];
  return lists.flatMap(({ node }, depth) => {
    const given = node.config['items'];
    return texts(Array.isArray(given) ? (given[items[depth] ?? 0] as unknown) : given);
  });
}

/** A value of a config with those of its expressions; undefined in place of one that fails. */
async function evaluated(asking: Asking, value: unknown, scope: Seen): Promise<unknown> {
  if (typeof value === 'object' && value !== null) {
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      members.push([name, await evaluated(asking, member, scope)]);
    }
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  const { request, deps, actor } = asking;
  const [preview] = await previewWithin(request, deps, actor, [value], scope);
  return preview?.type === null || preview?.type === 'nothing' ? undefined : preview?.value;
}
