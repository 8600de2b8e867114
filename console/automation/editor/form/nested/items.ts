import type { Field } from './field.ts';
import { startValue } from './start-value.ts';

type Items = readonly unknown[];

/** A list cannot have an item without a value, so null stands for a missing one. */
const asItem = (value: unknown): unknown => (value === undefined ? null : value);

export const withItem = (items: Items, index: number, value: unknown): Items => items.with(index, asItem(value));

export const addItem = (items: Items, field: Field): Items => [...items, asItem(startValue(field))];

export const removeItem = (items: Items, index: number): Items => items.toSpliced(index, 1);

/** Moves an item to another index. Returns the list unchanged if an index does not exist. */
export const moveItem = <Item>(items: readonly Item[], from: number, to: number): readonly Item[] =>
  to < 0 || to >= items.length || from < 0 || from >= items.length
    ? items
    : items.toSpliced(from, 1).toSpliced(to, 0, items[from] as Item);

/** The value of an item for its control. Null is shown as no value unless the field is nullable. */
export const itemValue = (item: unknown, { nullable }: Field): unknown =>
  item === null && !nullable ? undefined : item;
