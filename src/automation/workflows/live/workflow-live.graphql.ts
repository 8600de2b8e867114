import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import { watchWorkflow, type WorkflowChange, workflowChanges } from './watch-workflow.service.ts';
import { findEditors, type WorkflowEditorRow } from './workflow-editors.reads.ts';

const ChangeKind = defineEnum('WorkflowUpdateKind', workflowChanges, {
  description: 'What happened to a workflow.',
  values: {
    current: 'Nothing: this is how it is. The first event; again when changes may have been missed.',
    draft_saved: 'A draft was saved; `draftVersion` is its version now.',
    draft_discarded: 'The draft was discarded; `draftVersion` was its version.',
    published: 'There is a new revision, from the draft or from an update; `revision` is its number.',
    changed: 'Its name, description or another field changed, or whether it is active.',
    bundle: 'The state of its bundle changed: it is being built, is ready, or could not be built.',
    editors: 'Somebody opened or closed an editor.',
    deleted: 'It was deleted. The last event.',
  },
});

const EditorRef = builder.objectRef<WorkflowEditorRow>('WorkflowEditor').implement({
  description: 'Somebody who has an editor of a workflow open.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Email address, without one the subject.' }),
    openedAt: t.expose('openedAt', { type: 'DateTime', description: 'When the first of their editors was opened.' }),
  }),
});

const UpdateRef = builder.objectRef<WorkflowChange>('WorkflowUpdate').implement({
  description: 'A change of a workflow. A reader that falls behind gets the latest of each kind only.',
  fields: (t) => ({
    change: t.expose('change', { type: ChangeKind, description: 'What happened.' }),
    by: t.exposeString('by', {
      nullable: true,
      description:
        'Email address of who did it, without one the subject; null for the system, and where nobody is named.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    draftVersion: t.exposeInt('draftVersion', {
      nullable: true,
      description:
        'The version of the draft that was saved or discarded; of `CURRENT` the version of the draft now, null without one.',
    }),
    revision: t.exposeInt('revision', {
      nullable: true,
      description: 'The revision that was published; of `CURRENT` the revision now.',
    }),
    workflow: t.prismaField({
      type: 'Workflow',
      nullable: true,
      description: 'The workflow as it is now, which may be newer than the change; null once it is deleted.',
      resolve: (query, { tenantId, workflowId }, _args, context) =>
        inTenant(context).db.workflow.findFirst({
          ...query,
          where: { tenantId, id: BigInt(workflowId), deletedAt: null },
        }),
    }),
    editors: t.field({
      type: [EditorRef],
      description: 'Who has an editor of it open now, each once, at most 100.',
      resolve: ({ tenantId, workflowId }, _args, { deps }) => findEditors(deps.database, tenantId, workflowId),
    }),
  }),
});

builder.subscriptionField('workflowUpdated', (t) =>
  t.field({
    type: UpdateRef,
    authScopes: { member: true },
    description:
      'The workflow as it is now, then each save, publication and other change, and the end when it is deleted.',
    args: {
      id: t.arg.id({ required: true, description: 'The workflow to follow.' }),
      editing: t.arg.boolean({
        defaultValue: false,
        description:
          'Shows the viewer among the `editors` for as long as the subscription is open, and for 45 seconds at most after the process that serves it has died.',
      }),
    },
    async subscribe(_root, { id, editing }, context) {
      const { tenantId, actor } = inTenant(context);
      const editor = editing ? (actor.email ?? actor.sub) : null;
      return new LiveStream(await watchWorkflow(context.automation, tenantId, readId('Workflow', id), { editor }));
    },
    resolve: (change: WorkflowChange) => change,
  }),
);
