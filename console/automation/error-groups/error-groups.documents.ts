import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ErrorGroupRow = graphql(`
  fragment ErrorGroupRow on ErrorGroup {
    id groupId kind status code message node count assignee firstAt lastAt mutedUntil reopenedAt
    viewerCan { assign mute resolve reopen }
  }
`);

export const ErrorGroups = rows('errorGroups', ErrorGroupRow);

export const ErrorGroupPage = graphql(
  `
  query ErrorGroupPage($id: ID!) {
    errorGroup(id: $id) {
      ...ErrorGroupRow
      workflows { count workflow { id name } }
      sampleRun { id databaseId createdAt }
      sampleDeadLetter { id databaseId createdAt }
      sampleWebhookDelivery { id databaseId createdAt }
    }
  }
`,
  [ErrorGroupRow],
);

export const AssignErrorGroup = mutation('assignErrorGroup', 'errorGroup { ...ErrorGroupRow }', [ErrorGroupRow]);

export const MuteErrorGroup = mutation('muteErrorGroup', 'errorGroup { ...ErrorGroupRow }', [ErrorGroupRow]);

export const ResolveErrorGroup = mutation('resolveErrorGroup', 'errorGroup { ...ErrorGroupRow }', [ErrorGroupRow]);

export const ReopenErrorGroup = mutation('reopenErrorGroup', 'errorGroup { ...ErrorGroupRow }', [ErrorGroupRow]);

export const ViewerId = graphql(`
  query ViewerId {
    me { user { id } }
  }
`);

export const People = graphql(`
  query People($search: String) {
    people(search: $search) { id name email }
  }
`);
