import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { movementData } from '#src/commerce/stock/stock.declarations.ts';
import { movementKinds } from '#src/commerce/stock/stock.inputs.ts';
import { bookMovement, type StockDeps } from '#src/commerce/stock/stock.service.ts';
import { defineNode, instant, text } from './commerce-node.ts';

export const stockNodes = (deps: Pick<StockDeps, 'bookings'>): RunnableNode[] => [
  defineNode({
    name: 'book-movement',
    config: z.object({
      sku: text,
      location: text.nullish(),
      kind: z.enum(movementKinds),
      quantity: text,
      reference: text.nullish(),
      note: text.nullish(),
      reservation: text.nullish(),
      expires_at: instant.nullish(),
      occurred_at: instant.nullish(),
    }),
    async execute({ expires_at: expiresAt, occurred_at: occurredAt, reference, ...movement }, { ports, ...ctx }) {
      const given = { ...movement, reference: reference ?? ctx.idempotencyKey, expiresAt, occurredAt };
      return { movement: movementData(await bookMovement(deps, ports.tenant.actor(), given)) };
    },
  }),
  defineNode({
    name: 'set-stock',
    config: z.object({
      sku: text,
      location: text.nullish(),
      quantity: text,
      reference: text.nullish(),
    }),
    async execute({ reference, ...counted }, { ports, idempotencyKey }) {
      const given = { ...counted, kind: 'count', reference: reference ?? idempotencyKey };
      return { movement: movementData(await bookMovement(deps, ports.tenant.actor(), given)) };
    },
  }),
];
