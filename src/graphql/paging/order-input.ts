import type { InputObjectRef } from '@pothos/core';
import { builder } from '#src/graphql/builder.ts';
import type { Order } from '#src/infra/postgres/lists/ordered-list.ts';

type Types = typeof builder.$inferSchemaTypes;

const SortDirection = builder.enumType('SortDirection', {
  description: 'Upwards or downwards.',
  values: ['ASC', 'DESC'],
});

interface OrderOptions<Field extends string> {
  /** The name of the rows, in the plural. */
  of: string;
  fields: Record<Field, { description?: string }>;
  /** The direction if the client names none; without it, every client must name one. */
  direction?: Order<Field>['direction'];
}

/** The input `orderBy` of a list: `RunOrder`, by one of the fields of `RunOrderField`. */
export function orderInput<Field extends string>(noun: string, { of, fields, direction }: OrderOptions<Field>) {
  const values: Record<string, { description?: string }> = fields;
  const input = builder.inputType(`${noun}Order`, {
    description: `The order of a list of ${of}.`,
    fields: (t) => ({
      field: t.field({
        description: 'What to sort by.',
        type: builder.enumType(`${noun}OrderField`, { description: `What ${of} are sorted by.`, values }),
        required: true,
      }),
      direction: t.field({
        description: 'Which way.',
        type: SortDirection,
        ...(direction && { defaultValue: direction }),
        required: true,
      }),
    }),
  });
  // The enum accepts only the fields, which Pothos cannot infer for a type parameter.
  return input as unknown as InputObjectRef<Types, Order<Field>>;
}
