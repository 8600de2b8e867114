import { graphql } from '#console/graph/graphql.ts';

/** What happened to an order and because of it. */
export const OrderStory = graphql(`
  fragment OrderStory on Order {
    story {
      at eventId
      ... on OrderStoryChange {
        change { action details actorSub actorEmail actorName run { id databaseId workflowName trigger { id name } } }
      }
      ... on OrderStoryRun {
        run { id databaseId status workflowName error }
      }
      ... on OrderStoryDeadLetter {
        deadLetter { id databaseId status workflowName reason }
      }
      ... on OrderStoryStep {
        run { id databaseId }
        step { id path attempt status calls { method url status error durationMs } }
      }
      ... on OrderStoryDelivery {
        delivery {
          id topic status reason nextAttemptAt
          destination { id name }
          attempts { try httpCode error }
        }
      }
    }
  }
`);

export const OrderStoryFollowed = graphql(`
  subscription OrderStoryFollowed($id: ID!) {
    orderStoryUpdated(id: $id) { id }
  }
`);
