import { mutation } from '#console/graph/documents.ts';
import { OrderRow } from './orders.documents.ts';

export const CancelOrder = mutation('cancelOrder', 'order { ...OrderRow }', [OrderRow]);

export const ReleaseOrder = mutation('releaseOrder', 'order { ...OrderRow }', [OrderRow]);

export const CreateShipment = mutation('createShipment', 'shipment { id }');

export const CreateReturn = mutation('createReturn', 'return { id }');

export const RecordPayment = mutation('recordPayment', 'payment { id }');

export const CreateOrder = mutation('createOrder', 'order { id }');
