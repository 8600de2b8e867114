import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const TriggerRow = graphql(`
  fragment TriggerRow on Trigger {
    id databaseId name handle type active url createdAt updatedAt
    workflow { id name }
    viewerCan { update delete fire poll rewind }
  }
`);

export const Triggers = rows('triggers', TriggerRow);

export const TriggerPage = graphql(
  `
  query TriggerPage($id: ID!) {
    trigger(id: $id) {
      ...TriggerRow config
      schedule { id cron timezone misfire nextFireAt lastFiredAt lastRun { id databaseId } }
      poll {
        watermark isReading isWaiting nextPollAt lastPolledAt lastSuccessAt lastError failures pagesRead recordsSeen recordsFired
      }
    }
  }
`,
  [TriggerRow],
);

export const CreateTrigger = mutation('createTrigger', 'trigger { ...TriggerRow }', [TriggerRow]);

export const UpdateTrigger = mutation('updateTrigger', 'trigger { ...TriggerRow config }', [TriggerRow]);

export const DeleteTrigger = mutation('deleteTrigger', 'deletedId');

export const PollTriggerNow = mutation('pollTriggerNow', 'trigger { ...TriggerRow }', [TriggerRow]);

export const RewindTrigger = mutation('rewindTrigger', 'trigger { ...TriggerRow }', [TriggerRow]);

export const FireTrigger = mutation('startRun', 'run { id }');
