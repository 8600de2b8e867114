import { availableQuantity, type Entry } from './booking.rules.ts';
import { movementRow, type StockChanged, type StockLow } from './stock.declarations.ts';

/** The data of `stock.changed` without the movement's id, which the database adds. */
export type ChangedBeforeId = Omit<StockChanged, 'movement'> & { movement: Omit<StockChanged['movement'], 'id'> };

/** The event of a ledger entry that is written at `at`. */
export const changedData = (entry: Entry, at: Date): ChangedBeforeId => ({
  sku: entry.sku,
  location: entry.location,
  on_hand: entry.after.onHand.toFixed(),
  reserved: entry.after.reserved.toFixed(),
  available: availableQuantity(entry.after).toFixed(),
  movement: movementRow(entry, at),
});

export const lowData = ({ sku, location, after }: Entry): StockLow => ({
  sku,
  location,
  available: availableQuantity(after).toFixed(),
  reorder_point: after.reorderPoint?.toFixed() ?? '',
});
