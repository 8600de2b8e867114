import type { AlertKind } from './alert-recipients.inputs.ts';

/** A group of failures in a message. */
export interface AlertItem {
  /** The key of the group, which is the same in all messages to the recipient. */
  key: string;
  kind: AlertKind;
  /** The workflow's, destination's or credential's id. */
  subjectId: number;
  /** Its name. */
  title: string;
  errorGroupId: string | null;
  /** How many since the last message. */
  count: number;
  /** What is wrong, without values that the tenant's data has; null where the title says it all. */
  message: string | null;
  firstAt: string;
  lastAt: string;
}

/** The content of a message: groups in the order of their first failure, and how much is left out. */
export interface AlertContent {
  items: AlertItem[];
  /** Groups beyond the listed ones, and what they count. */
  moreGroups: number;
  moreCount: number;
}

/** How long failures are gathered, in milliseconds: one pass then handles those of all tenants, however many there are. */
export const passMs = 5_000;

/** The most groups that a message lists. */
export const maxItems = 50;

export const emptyContent: AlertContent = { items: [], moreGroups: 0, moreCount: 0 };

const byFirst = (one: AlertItem, other: AlertItem): number =>
  one.firstAt < other.firstAt ? -1 : one.firstAt > other.firstAt ? 1 : one.key < other.key ? -1 : 1;

/**
 * Adds groups to a content. A group that it lists is counted on; the first message of the group stays. What is beyond the list is only
 * counted, so that a message stays small however long it waits. `earlier` has the keys of groups that were added before.
 */
export function mergeContent(
  content: AlertContent,
  added: readonly AlertItem[],
  earlier: ReadonlySet<string> = new Set(),
): AlertContent {
  const byKey = new Map(content.items.map((item) => [item.key, item]));
  const fresh = new Set(added.map(({ key }) => key).filter((key) => !byKey.has(key) && !earlier.has(key)));
  for (const item of added) {
    const listed = byKey.get(item.key);
    byKey.set(
      item.key,
      listed ? { ...listed, count: listed.count + item.count, lastAt: later(listed.lastAt, item.lastAt) } : item,
    );
  }
  const all = [...byKey.values()].toSorted(byFirst);
  const rest = all.slice(maxItems);
  const items = all.slice(0, maxItems);
  return {
    items,
    moreGroups: content.items.length + content.moreGroups + fresh.size - items.length,
    moreCount: content.moreCount + sum(rest),
  };
}

const later = (one: string, other: string): string => (one > other ? one : other);
const sum = (items: readonly AlertItem[]): number => items.reduce((total, { count }) => total + count, 0);

/** How many failures a message reports. */
export const countIn = ({ items, moreCount }: AlertContent): number => sum(items) + moreCount;
