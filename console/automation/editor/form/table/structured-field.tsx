import { type ReactNode, useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { TableField } from './table-field.tsx';
import { nameColumn, readTable, type Table, valueColumn } from './table-value.ts';
import { tableWords as w } from './table.words.ts';

const empty: Readonly<Record<'json' | 'list' | 'branches', Table>> = {
  json: { layout: 'names', columns: [nameColumn, valueColumn], rows: [] },
  list: { layout: 'items', columns: [valueColumn], rows: [] },
  branches: { layout: 'records', columns: ['branch'], rows: [] },
};

interface Props {
  id: string;
  fieldKey: string;
  /** Whether it holds a list, and a list of what; any JSON otherwise. */
  holds: keyof typeof empty;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  /** The value as JSON or an expression, in place of rows. */
  children: ReactNode;
}

/** A list or an object as JSON, or as a table where somebody prefers rows. */
export function StructuredField({ holds, value, children, ...field }: Props) {
  const [isTable, setTable] = useState(false);
  if (value !== undefined && !readTable(value)) return children;
  return (
    <>
      {isTable ? <TableField {...field} value={value} empty={empty[holds]} /> : children}
      <Button onPress={() => setTable(!isTable)}>{isTable ? w.asJson : w.asTable}</Button>
    </>
  );
}
