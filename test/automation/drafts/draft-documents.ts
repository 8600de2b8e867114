const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
export const draftFields = 'version baseRevision isBehind savedBy blob pins';
export const documents = {
  save: `mutation ($input: SaveWorkflowDraftInput!) { answer: saveWorkflowDraft(input: $input) { __typename
    ... on SaveWorkflowDraftPayload { isMerged workflow { revision } draft { ${draftFields} validation { valid errors { path messages } } } }
    ... on DraftConflict { version baseRevision base mine theirs merged conflicts { kind path base mine theirs } }
    ${failure} } }`,
  publish: `mutation ($input: PublishWorkflowInput!) { answer: publishWorkflow(input: $input) { __typename
    ... on PublishWorkflowPayload { workflow { revision blob bundle { status } draft { version } } } ${failure} } }`,
  discard: `mutation ($input: DiscardWorkflowDraftInput!) { answer: discardWorkflowDraft(input: $input) { __typename
    ... on DiscardWorkflowDraftPayload { workflow { revision draft { version } } } ${failure} } }`,
  update: `mutation ($input: UpdateWorkflowInput!) { answer: updateWorkflow(input: $input) { __typename
    ... on UpdateWorkflowPayload { workflow { revision } } ${failure} } }`,
  delete: `mutation ($input: DeleteWorkflowInput!) { answer: deleteWorkflow(input: $input) { __typename ${failure} } }`,
};
