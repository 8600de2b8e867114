import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const EditorIssue = graphql(`
  fragment EditorIssue on WorkflowIssue {
    severity message node field path line column
    fix { operation path value }
  }
`);

export const EditorDraft = graphql(
  `
  fragment EditorDraft on WorkflowDraft {
    version baseRevision isBehind blob savedBy savedAt
    validation { valid issues { ...EditorIssue } }
  }
`,
  [EditorIssue],
);

export const EditorWorkflow = graphql(
  `
  query EditorWorkflow($id: ID!) {
    workflow(id: $id, includeDeleted: true) {
      id name revision blob active deletedAt
      draft { ...EditorDraft pins }
      triggers { id handle name type active url config viewerCan { fire delete } }
      viewerCan { saveDraft publish discardDraft createTrigger fire }
    }
  }
`,
  [EditorDraft],
);

/** A conflict names no pins. */
export const DraftPins = graphql(`
  query DraftPins($id: ID!) {
    workflow(id: $id) { id draft { version pins } }
  }
`);

export const SaveDraft = graphql(
  `
  mutation SaveDraft($input: SaveWorkflowDraftInput!) {
    saveWorkflowDraft(input: $input) {
      __typename
      ... on SaveWorkflowDraftPayload {
        isMerged
        draft { ...EditorDraft }
      }
      ... on DraftConflict { version baseRevision base theirs }
      ...Refusal
    }
  }
`,
  [EditorDraft, Refusal],
);

export const WorkflowFollowed = graphql(`
  subscription WorkflowFollowed($id: ID!) {
    workflowUpdated(id: $id, editing: true) {
      change by draftVersion revision
      editors { name openedAt }
    }
  }
`);

export const AddTriggerInEditor = mutation('createTrigger', 'trigger { id handle }');
export const RemoveTriggerInEditor = mutation('deleteTrigger', 'deletedId');
export const PublishDraft = mutation('publishWorkflow', 'workflow { id revision }');
export const DiscardDraft = mutation('discardWorkflowDraft', 'workflow { id revision }');
export const CreateSubWorkflow = mutation('createWorkflow', 'workflow { id databaseId }');
export const TryDraft = mutation('startRun', 'run { id }');

export const EditorDefinition = graphql(`
  fragment EditorDefinition on NodeDefinition {
    id slug name version description kind branches branchesFrom
    fields {
      key label type required default help dynamic pattern credentialTypes
      options { value label }
    }
  }
`);

/** What depends on the rest of a form: the options of dynamic fields. Those of a refusal are called `fields` too. */
export const ResolveNodeConfig = mutation('resolveNodeConfig', 'resolved: fields');

export const EditorDefinitions = rows('nodes', EditorDefinition);

export const FieldCredentials = graphql(`
  query FieldCredentials($type: String!) {
    credentials(first: 100, filter: { type: $type }) { edges { node { id databaseId name } } }
  }
`);
