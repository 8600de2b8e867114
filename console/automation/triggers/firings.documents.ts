import { graphql } from '#console/graph/graphql.ts';

export const FiringsOfTrigger = graphql(`
  query FiringsOfTrigger($triggerId: ID!, $since: DateTime!, $timeZone: String!) {
    triggerStats(filter: {triggerId: $triggerId, since: $since}, interval: DAY, timeZone: $timeZone, lastFirings: 20) {
      countedSince
      total { total succeeded failed cancelled unfinished deadLetters }
      last {
        firedAt
        run { id databaseId status durationMs error }
        deadLetter { id databaseId status reason }
      }
    }
  }
`);

export const NextFiring = graphql(`
  subscription NextFiring($id: ID!) {
    triggerCaptured(triggerId: $id) { firedAt payload run { id databaseId } deadLetter { id databaseId } }
  }
`);
