import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const AlertRecipientRow = graphql(`
  fragment AlertRecipientRow on AlertRecipient {
    id name kinds channel addresses url active hourlyLimit createdAt updatedAt
    viewerCan { update delete test }
  }
`);

export const AlertRecipients = rows('alertRecipients', AlertRecipientRow);

export const AlertRecipientFacts = graphql(
  `
  fragment AlertRecipientFacts on AlertRecipient {
    ...AlertRecipientRow
    isSigned expiringDays groupMinutes waitingCount
    messages { databaseId status summary count attemptCount error createdAt sentAt }
  }
`,
  [AlertRecipientRow],
);

export const AlertRecipientPage = page('alertRecipient', AlertRecipientFacts);

export const CreateAlertRecipient = mutation('createAlertRecipient', 'alertRecipient { id }');

export const UpdateAlertRecipient = mutation('updateAlertRecipient', 'alertRecipient { ...AlertRecipientFacts }', [
  AlertRecipientFacts,
]);

export const TestAlertRecipient = mutation(
  'testAlertRecipient',
  'alertMessage { status error } alertRecipient { ...AlertRecipientFacts }',
  [AlertRecipientFacts],
);

export const DeleteAlertRecipient = mutation('deleteAlertRecipient', 'deletedId');
