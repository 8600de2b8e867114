import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const TimelineStep = graphql(`
  fragment TimelineStep on Step {
    id path nodeId attempt status startedAt completedAt wakeAt
  }
`);

export const RunSteps = graphql(
  `
  query RunSteps($id: ID!, $after: String, $filter: StepFilter) {
    run(id: $id) {
      id
      stepConnection(first: 100, after: $after, filter: $filter) {
        edges { node { ...TimelineStep } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [TimelineStep],
);

export const RunStepsFollowed = graphql(
  `
  subscription RunStepsFollowed($id: ID!) {
    stepUpdated(runId: $id) { ...TimelineStep }
  }
`,
  [TimelineStep],
);

export const StepDetail = graphql(
  `
  query StepDetail($id: ID!) {
    node(id: $id) {
      ... on Step {
        ...TimelineStep node version branch origin inputs outputPreview outputBytes outputUrl error
        resumeToken waitsFor waitsForCredential { id name }
        logs { databaseId at level message }
      }
    }
  }
`,
  [TimelineStep],
);

/** Requested when a user downloads a file, because the link is valid for an hour only. */
export const RunFile = graphql(`
  query RunFile($file: String!) {
    runFile(file: $file) { url }
  }
`);

export const ResumeRun = mutation('resumeRun', 'run { id status }');

export const RunLogFollowed = graphql(`
  subscription RunLogFollowed($id: ID!) {
    runLog(id: $id) { databaseId at level message path attempt }
  }
`);

export const RunLog = graphql(`
  query RunLog($id: ID!, $after: Long, $filter: RunLogFilter) {
    run(id: $id) {
      id
      logs(first: 200, after: $after, filter: $filter) { databaseId at level message path attempt }
    }
  }
`);
