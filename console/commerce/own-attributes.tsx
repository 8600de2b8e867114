import { Facts } from '#console/ui/screens/facts.tsx';
import type { Section } from '#console/ui/screens/screen.ts';
import { fieldWord } from '#console/words/fields.ts';

interface WithAttributes {
  attributes: unknown;
}

const membersOf = ({ attributes }: WithAttributes): [string, unknown][] => Object.entries(attributes ?? {});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The section of an object's own attributes, by code; hidden where it has none. */
export const attributesSection: Section<WithAttributes> = {
  key: 'attributes',
  title: fieldWord('attributes'),
  when: (object) => membersOf(object).length > 0,
  draw: (object) => (
    <Facts
      object={object}
      facts={membersOf(object).map(([code, value]) => ({
        key: code,
        label: code,
        show: { text: () => textOf(value) },
      }))}
    />
  ),
};
