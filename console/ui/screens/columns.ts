import type { Column, Format } from '#console/ui/screens/screen.ts';
import { fieldWord } from '#console/words/fields.ts';

/** A column or fact that is labelled as the form labels the member of the input. */
export const column = <Row>(key: string, show: Format<Row>, width?: string): Column<Row> => ({
  key,
  label: fieldWord(key),
  show,
  ...(width !== undefined && { width }),
});

/** A column or fact of a member of the row as it is: `member('createdAt', format.time)`. */
export const member = <Row, Name extends keyof Row & string>(
  name: Name,
  show: (get: (row: Row) => Row[Name]) => Format<Row>,
  width?: string,
): Column<Row> =>
  column(
    name,
    show((row) => row[name]),
    width,
  );

/** The values of an object that its form begins with: those of the members that have one. */
export const valuesOf =
  <T extends object>(...members: readonly (keyof T & string)[]) =>
  (object: T): Record<string, unknown> =>
    Object.fromEntries(members.map((name) => [name, object[name]] as const).filter(([, value]) => value != null));
