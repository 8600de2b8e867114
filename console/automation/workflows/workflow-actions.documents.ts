import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';
import { WorkflowRow } from './workflows.documents.ts';

export const CreateWorkflow = graphql(
  `
    mutation CreateWorkflow($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) {
        ... on CreateWorkflowPayload {
          workflow {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateWorkflow = graphql(
  `
    mutation UpdateWorkflow($input: UpdateWorkflowInput!) {
      updateWorkflow(input: $input) {
        ... on UpdateWorkflowPayload {
          workflow {
            ...WorkflowRow
          }
        }
        ...Refusal
      }
    }
  `,
  [WorkflowRow, Refusal],
);

export const DeleteWorkflow = graphql(
  `
    mutation DeleteWorkflow($input: DeleteWorkflowInput!) {
      deleteWorkflow(input: $input) {
        ... on DeleteWorkflowPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const BuildWorkflow = graphql(
  `
    mutation BuildWorkflow($input: BuildWorkflowInput!) {
      buildWorkflow(input: $input) {
        ... on BuildWorkflowPayload {
          workflow {
            ...WorkflowRow
          }
        }
        ...Refusal
      }
    }
  `,
  [WorkflowRow, Refusal],
);

export const PublishWorkflow = graphql(
  `
    mutation PublishWorkflow($input: PublishWorkflowInput!) {
      publishWorkflow(input: $input) {
        ... on PublishWorkflowPayload {
          workflow {
            ...WorkflowRow
          }
        }
        ...Refusal
      }
    }
  `,
  [WorkflowRow, Refusal],
);

export const DiscardWorkflowDraft = graphql(
  `
    mutation DiscardWorkflowDraft($input: DiscardWorkflowDraftInput!) {
      discardWorkflowDraft(input: $input) {
        ... on DiscardWorkflowDraftPayload {
          workflow {
            ...WorkflowRow
          }
        }
        ...Refusal
      }
    }
  `,
  [WorkflowRow, Refusal],
);

export const RestoreWorkflowRevision = graphql(
  `
    mutation RestoreWorkflowRevision($input: RestoreWorkflowRevisionInput!) {
      restoreWorkflowRevision(input: $input) {
        ... on RestoreWorkflowRevisionPayload {
          workflow {
            ...WorkflowRow
          }
        }
        ...Refusal
      }
    }
  `,
  [WorkflowRow, Refusal],
);

export const UpgradeNodes = graphql(
  `
    mutation UpgradeNodes($input: UpgradeNodesInput!) {
      upgradeNodes(input: $input) {
        ... on UpgradeNodesPayload {
          remaining
          upgraded {
            path
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const AddTriggerToWorkflow = graphql(
  `
    mutation AddTriggerToWorkflow($input: CreateTriggerInput!) {
      createTrigger(input: $input) {
        ... on CreateTriggerPayload {
          trigger {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const StartRunOfWorkflow = graphql(
  `
    mutation StartRunOfWorkflow($input: StartRunInput!) {
      startRun(input: $input) {
        ... on StartRunPayload {
          run {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
