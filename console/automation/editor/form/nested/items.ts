import type { Field } from './field.ts';
import { startValue } from './start-value.ts';

type Items = readonly unknown[];

/** A list has no item without a value: null stands for one. */
const asItem = (value: unknown): unknown => (value === undefined ? null : value);

export const withItem = (items: Items, index: number, value: unknown): Items => items.with(index, asItem(value));

export const addItem = (items: Items, field: Field): Items => [...items, asItem(startValue(field))];

export const removeItem = (items: Items, index: number): Items => items.toSpliced(index, 1);

/** The list with an item at another index; unchanged where there is no such index. */
export const moveItem = <Item>(items: readonly Item[], from: number, to: number): readonly Item[] =>
  to < 0 || to >= items.length || from < 0 || from >= items.length
    ? items
    : items.toSpliced(from, 1).toSpliced(to, 0, items[from] as Item);

/** The value of an item for its control: null is a value of its own only where the field says so. */
export const itemValue = (item: unknown, { nullable }: Field): unknown =>
  item === null && !nullable ? undefined : item;
