import { subtract } from '#console/commerce/exact.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import type { Action } from '#console/ui/screens/action.ts';
import { enumWord } from '#console/words/enums.ts';
import { CancelOrder, CreateReturn, CreateShipment, RecordPayment, ReleaseOrder } from './order-actions.documents.ts';
import type { OrderPage } from './orders.documents.ts';
import { orderWords as w } from './orders.words.ts';

export type Order = NonNullable<ResultOf<typeof OrderPage>['order']>;
type Position = Order['positions'][number];

const leftToShip = ({ quantity, shipped }: Position) => subtract(quantity, shipped);
const leftToReturn = ({ shipped, returned }: Position) => subtract(shipped, returned);

/** The positions of which something is left, as the input names them. */
const remaining = (order: Order, left: (position: Position) => string) =>
  order.positions
    .map((position) => ({ positionId: position.id, quantity: left(position) }))
    .filter(({ quantity }) => quantity !== '0');

/** The positions by name, for the form of a shipment or a return. */
const choices = {
  positionId: (order: Order) => order.positions.map(({ id, sku, name }) => ({ value: id, label: `${sku} · ${name}` })),
};

/**
 * What a person may do. The ERP acknowledges, completes and cancels what it has been told of, with its key: of a user, the server refuses
 * these, so that a user cancels only what is held.
 */
export const orderActions: readonly Action<Order>[] = [
  {
    key: 'release',
    label: w.release,
    document: ReleaseOrder,
    allowed: (order) => order.viewerCan.release && order.holdReason !== null && order.status === 'PENDING',
    confirm: (order) => w.releaseConfirm(enumWord(order.holdReason ?? '')),
    done: w.released,
  },
  {
    key: 'ship',
    label: w.ship,
    document: CreateShipment,
    allowed: (order) =>
      order.viewerCan.createShipment &&
      order.status !== 'CANCELLED' &&
      order.holdReason === null &&
      remaining(order, leftToShip).length > 0,
    input: ({ id }) => ({ orderId: id }),
    form: {
      fields: ['reference', 'positions'],
      initial: (order) => ({ positions: remaining(order, leftToShip) }),
      choices,
    },
    done: w.shipped,
  },
  {
    key: 'return',
    label: w.takeBack,
    document: CreateReturn,
    allowed: (order) => order.viewerCan.createReturn && remaining(order, leftToReturn).length > 0,
    input: ({ id }) => ({ orderId: id }),
    form: {
      fields: ['reference', 'positions'],
      initial: (order) => ({ positions: remaining(order, leftToReturn) }),
      choices,
    },
    done: w.takenBack,
  },
  {
    key: 'pay',
    label: w.pay,
    document: RecordPayment,
    allowed: (order) => order.viewerCan.recordPayment && order.status !== 'CANCELLED',
    input: ({ id }) => ({ orderId: id }),
    form: {
      fields: ['kind', 'amount', 'reference'],
      initial: ({ totals }) => ({ kind: 'CAPTURED', amount: totals.gross }),
    },
    done: w.paid,
  },
  {
    key: 'cancel',
    label: w.cancel,
    document: CancelOrder,
    allowed: (order) => order.viewerCan.cancel && order.holdReason !== null && order.status === 'PENDING',
    confirm: (order) => w.cancelConfirm(order.number),
    form: { fields: ['reason'] },
    isDanger: true,
    done: w.cancelled,
  },
];
