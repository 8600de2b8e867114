import type { DomainServices } from '#src/domains/parts/domain.ts';
import { createBookingBatcher, type StockDeps } from './stock/stock.service.ts';

declare module '#src/infra/opened.ts' {
  interface Opened {
    commerce: Commerce;
  }
}

/** What the domain's use cases share in a process, in addition to what all domains share. A slice takes the part that it needs. */
export interface Commerce extends StockDeps {}

export const commerceServices: DomainServices = {
  open({ deps: { database } }) {
    const commerce: Commerce = { database, bookings: createBookingBatcher(database) };
    return { opened: { commerce }, close: () => commerce.bookings.drain() };
  },
};
