import { triggerForm } from '#console/automation/trigger-form.tsx';
import type { Action } from '#console/ui/screens/action.ts';
import {
  AddTriggerToWorkflow,
  BuildWorkflow,
  DeleteWorkflow,
  DiscardWorkflowDraft,
  PublishWorkflow,
  RestoreWorkflowRevision,
  StartRunOfWorkflow,
  UpdateWorkflow,
  UpgradeNodes,
} from './workflow-actions.documents.ts';
import type { Workflow } from './workflow-flow.tsx';
import { workflowWords as w } from './workflows.words.ts';

const openRun = (payload: Record<string, unknown>) => ({ noun: 'runs', id: (payload['run'] as { id: string }).id });
/** An event starts a run only with its payload, which nobody types. */
const startable = ({ triggers }: Workflow) => triggers.filter(({ active, type }) => active && type !== 'EVENT');
/** Nodes of the revision; the draft may have others. */
const nodeOptions = ({ nodes }: Workflow) => nodes.map(({ path }) => ({ value: path, label: path }));
const draftOf = ({ id, draft }: Workflow) => ({ workflowId: id, version: draft?.version ?? 0 });

export const workflowActions: readonly Action<Workflow>[] = [
  {
    key: 'start',
    label: w.start,
    document: StartRunOfWorkflow,
    allowed: ({ viewerCan, active, deletedAt }) => viewerCan.fire && active && deletedAt === null,
    input: ({ id }) => ({ workflowId: id }),
    needs: (workflow) =>
      startable(workflow).length === 0
        ? { text: w.needsTrigger, label: w.addManualTrigger, key: 'trigger' }
        : undefined,
    form: {
      fields: ['payload', 'triggerHandle'],
      initial: (workflow) => ({ payload: {}, triggerHandle: startable(workflow)[0]?.handle }),
      choices: {
        triggerHandle: (workflow) => startable(workflow).map(({ handle, name }) => ({ value: handle, label: name })),
      },
      asked: () => ({ triggerHandle: { label: w.trigger, help: w.triggerHelp, isRequired: true } }),
    },
    done: w.started,
    opens: openRun,
  },
  {
    key: 'try',
    label: w.startDraft,
    document: StartRunOfWorkflow,
    allowed: ({ viewerCan, draft }) => viewerCan.fire && draft !== null,
    input: ({ id }) => ({ workflowId: id, draft: true }),
    form: {
      fields: ['payload', 'from', 'to'],
      initial: () => ({ payload: {} }),
      choices: { from: nodeOptions, to: nodeOptions },
      asked: () => ({ from: { label: w.firstNode }, to: { label: w.lastNode } }),
    },
    done: w.started,
    opens: openRun,
  },
  {
    key: 'publish',
    label: w.publish,
    document: PublishWorkflow,
    allowed: ({ viewerCan, draft }) => viewerCan.publish && draft !== null,
    input: draftOf,
    form: { fields: ['note'] },
    done: w.published,
  },
  {
    key: 'discard',
    label: w.discard,
    document: DiscardWorkflowDraft,
    allowed: ({ viewerCan, draft }) => viewerCan.discardDraft && draft !== null,
    input: draftOf,
    confirm: () => w.discardConfirm,
    isDanger: true,
    done: w.discarded,
  },
  {
    key: 'edit',
    saves: true,
    label: w.edit,
    document: UpdateWorkflow,
    allowed: (workflow) => workflow.viewerCan.update,
    form: {
      fields: ['name', 'description', 'active'],
      initial: ({ name, description, active }) => ({ name, active, ...(description !== null && { description }) }),
    },
    done: w.saved,
  },
  {
    key: 'trigger',
    label: w.addTrigger,
    document: AddTriggerToWorkflow,
    allowed: (workflow) => workflow.viewerCan.createTrigger,
    input: ({ id }) => ({ workflowId: id }),
    form: {
      fields: ['name', 'type', 'config', 'active'],
      initial: ({ triggers }) =>
        triggers.length === 0 ? { name: w.byHand, type: 'MANUAL', active: true } : { type: 'WEBHOOK', active: true },
      asked: (_, { type, config }) => triggerForm(type, config),
    },
    done: w.triggerAdded,
    opens: (payload) => ({ noun: 'triggers', id: (payload['trigger'] as { id: string }).id }),
  },
  {
    key: 'restore',
    label: w.restore,
    document: RestoreWorkflowRevision,
    allowed: ({ viewerCan, revision }) => viewerCan.restore && revision > 1,
    input: ({ id }) => ({ workflowId: id }),
    form: { fields: ['revision', 'note'], initial: ({ revision }) => ({ revision: revision - 1 }) },
    done: w.restored,
  },
  {
    key: 'upgrade',
    label: w.upgrade,
    document: UpgradeNodes,
    allowed: (workflow) => workflow.viewerCan.upgradeNodes,
    input: draftOf,
    confirm: () => w.upgradeConfirm,
    done: w.upgraded,
  },
  {
    key: 'build',
    label: w.rebuild,
    document: BuildWorkflow,
    allowed: ({ viewerCan, bundle }) => viewerCan.build && bundle.status !== 'BUILDING',
    confirm: () => w.rebuildAbout,
    done: w.rebuilding,
  },
  {
    key: 'delete',
    label: w.remove,
    document: DeleteWorkflow,
    allowed: ({ viewerCan, deletedAt }) => viewerCan.delete && deletedAt === null,
    confirm: ({ name, triggers }) => w.removeConfirm(name, triggers.length),
    isDanger: true,
    done: w.removed,
  },
];
