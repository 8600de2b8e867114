import { mutation } from '#console/graph/documents.ts';
import { DestinationRow } from './destinations.documents.ts';

export const CreateDestination = mutation('createWebhookDestination', 'webhookDestination { id }');

export const UpdateDestination = mutation('updateWebhookDestination', 'webhookDestination { ...DestinationRow }', [
  DestinationRow,
]);

export const EnableDestination = mutation('enableWebhookDestination', 'webhookDestination { ...DestinationRow }', [
  DestinationRow,
]);

export const DisableDestination = mutation('disableWebhookDestination', 'webhookDestination { ...DestinationRow }', [
  DestinationRow,
]);

export const RotateDestinationSecret = mutation(
  'rotateWebhookSecret',
  'secret webhookDestination { ...DestinationRow }',
  [DestinationRow],
);

export const PingDestination = mutation('pingWebhookDestination', 'webhookDelivery { id }');

export const RecoverDestination = mutation('recoverWebhookDestination', 'queued');

export const DeleteDestination = mutation('deleteWebhookDestination', 'deletedId');
