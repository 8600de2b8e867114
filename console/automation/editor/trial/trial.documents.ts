import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const TrialRun = graphql(`
  fragment TrialRun on Run {
    id databaseId status isTest error durationMs triggerHandle
    stepCounts { nodePath total branches byStatus { running waiting succeeded failed skipped } }
    viewerCan { cancel resume }
  }
`);

/** A run with what it executes, which does not change. */
export const ShownRun = graphql(
  `
  query ShownRun($id: ID!) {
    run(id: $id) { ...TrialRun blob pins }
  }
`,
  [TrialRun],
);

export const ShownRunFollowed = graphql(
  `
  subscription ShownRunFollowed($id: ID!) {
    runUpdated(id: $id) { ...TrialRun }
  }
`,
  [TrialRun],
);

export const ShownPayload = graphql(`
  query ShownPayload($id: ID!) {
    run(id: $id) { id payload }
  }
`);

/** What a run gave, which is read once it has ended. */
export const TrialOutcome = graphql(`
  query TrialOutcome($id: ID!) {
    run(id: $id) { id result }
  }
`);

export const LastStep = graphql(`
  query LastStep($id: ID!, $filter: StepFilter) {
    run(id: $id) {
      id
      stepConnection(last: 1, filter: $filter) {
        edges {
          node {
            id path attempt status branch origin inputs outputPreview outputBytes error resumeToken
            logs { databaseId at level message }
          }
        }
      }
    }
  }
`);

export const NextFiring = graphql(`
  subscription NextFiring($triggerId: ID!) {
    triggerCaptured(triggerId: $triggerId) { payload firedAt run { id } deadLetter { id } }
  }
`);

export const CancelTrial = mutation('cancelRun', 'run { id status }');
