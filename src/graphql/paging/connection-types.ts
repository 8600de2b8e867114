import type { ObjectRef, OutputType } from '@pothos/core';
import { builder } from '#src/graphql/builder.ts';

type Types = typeof builder.$inferSchemaTypes;

/**
 * The connection type of a node type, for all lists of it: `RunConnection` and `RunEdge`, so that a client's fragment on a page fits each
 * of them. Without it a list would get types of its own, which test/graphql/schema.test.ts refuses.
 */
export const defineConnection = <Type extends OutputType<Types> & ObjectRef<Types, unknown>>(type: Type) =>
  builder.connectionObject<Type, unknown>(
    { type, name: `${type.name}Connection`, description: 'A page of a list.' },
    { name: `${type.name}Edge`, description: 'A row of a page, and its place in the list.' },
  );
