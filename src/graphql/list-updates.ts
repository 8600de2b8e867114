import type { ObjectRef, OutputType } from '@pothos/core';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { type ListEvent, listChanges } from '#src/infra/live/lists/list-view.ts';
import { builder } from './builder.ts';
import { defineEnum } from './enums.ts';

type Types = typeof builder.$inferSchemaTypes;

const ListChange = defineEnum('ListChange', listChanges, {
  description: 'How a list changed that a subscription follows.',
  values: {
    added: 'The row is new, or matches the filter only now.',
    changed: 'The row matches the filter, as before.',
    removed:
      'The row does not match the filter any more, or is gone. A list that is long may remove a row that it did not contain.',
    reload:
      'Read the list now. The first event, when the list is followed; again when changes may have been missed, and when they are too many to report one by one.',
  },
});

/** The type of the events of a list that is followed: `RunListUpdate`. */
export const defineListUpdate = <Type extends OutputType<Types> & ObjectRef<Types, unknown>>(type: Type) =>
  builder.objectRef<ListEvent<Type['$inferType']>>(`${type.name}ListUpdate`).implement({
    description: 'A change of a list. A reader that falls behind gets the latest change of a row only, or `RELOAD`.',
    fields: (t) => ({
      change: t.expose('change', { type: ListChange, description: 'What happened.' }),
      id: t.id({
        nullable: true,
        description: 'The row that changed; null for `RELOAD`.',
        resolve: ({ id }) => (id === null ? null : encodeGlobalID(type.name, id)),
      }),
      node: t.field({
        type,
        nullable: true,
        description: 'The row as it is now; null for `RELOAD`, and for a row that is gone.',
        resolve: (async ({ row }: ListEvent<unknown>) => (await row()) ?? null) as never,
      }),
    }),
  });
