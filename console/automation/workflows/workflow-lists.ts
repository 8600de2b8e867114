import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { nestedList } from '#console/ui/screens/screen.ts';
import {
  CallersOfWorkflow,
  RevisionsOfWorkflow,
  RunsOfWorkflow,
  UpgradesOfWorkflow,
} from './workflow-lists.documents.ts';
import { workflowWords as w } from './workflows.words.ts';

type NodeOf<T> = T extends { edges: readonly { node: infer Node }[] } ? Node : never;
type Revision = NodeOf<NonNullable<ResultOf<typeof RevisionsOfWorkflow>['workflow']>['revisions']>;
type Run = NodeOf<NonNullable<ResultOf<typeof RunsOfWorkflow>['workflow']>['runs']>;
type Upgrade = NodeOf<NonNullable<ResultOf<typeof UpgradesOfWorkflow>['nodeUpgrades']>>;

export const revisions = nestedList(RevisionsOfWorkflow, ({ workflow }) => workflow?.revisions, {
  columns: [
    { key: 'revision', label: w.revision, show: format.text((revision: Revision) => revision.revision) },
    { key: 'note', label: w.note, show: format.text((revision: Revision) => revision.note) },
    { key: 'by', label: w.by, show: format.text((revision: Revision) => revision.createdBy) },
    { key: 'created', label: w.created, show: format.exactTime((revision: Revision) => revision.createdAt) },
  ],
  empty: w.noRevisions,
});

export const workflowRuns = nestedList(RunsOfWorkflow, ({ workflow }) => workflow?.runs, {
  columns: [
    {
      key: 'run',
      label: w.run,
      show: format.link(
        'runs',
        (run: Run) => run,
        (run: Run) => run.databaseId,
      ),
    },
    { key: 'status', label: w.status, show: format.state((run: Run) => run.status) },
    { key: 'error', label: w.error, show: format.text((run: Run) => run.error) },
    { key: 'created', label: w.created, show: format.time((run: Run) => run.createdAt) },
    { key: 'duration', label: w.duration, show: format.duration((run: Run) => run.durationMs) },
  ],
  empty: w.noRuns,
});

type CallerNode = NodeOf<NonNullable<ResultOf<typeof CallersOfWorkflow>['workflow']>['usedBy']>;
type Caller = CallerNode & { id: string };

/** Callers have no id of their own; a workflow calls another one at most once in this list. */
export const callers = nestedList(
  CallersOfWorkflow,
  ({ workflow }) =>
    workflow && {
      ...workflow.usedBy,
      edges: workflow.usedBy.edges.map(({ node }) => ({ node: { ...node, id: node.workflow.id } })),
    },
  {
    columns: [
      {
        key: 'name',
        label: w.name,
        show: format.link(
          'workflows',
          (caller: Caller) => caller.workflow,
          (caller: Caller) => caller.workflow.name,
        ),
      },
      { key: 'node', label: w.node, show: format.text((caller: Caller) => caller.nodeIds.join(', ')) },
      { key: 'onError', label: w.onError, show: format.flag((caller: Caller) => caller.onError) },
    ],
    empty: w.unused,
  },
);

export const upgrades = nestedList(UpgradesOfWorkflow, ({ nodeUpgrades }) => nodeUpgrades, {
  columns: [
    { key: 'path', label: w.node, show: format.handle((upgrade: Upgrade) => upgrade.id) },
    { key: 'slug', label: w.credentialType, show: format.text((upgrade: Upgrade) => upgrade.slug) },
    { key: 'version', label: w.version, show: format.text((upgrade: Upgrade) => upgrade.version) },
    { key: 'newest', label: w.newest, show: format.text((upgrade: Upgrade) => upgrade.newest) },
    { key: 'state', label: w.state, show: format.state((upgrade: Upgrade) => upgrade.state) },
    {
      key: 'problem',
      label: w.problem,
      show: format.text((upgrade: Upgrade) => upgrade.issues.map(({ message }) => message).join(' ')),
    },
  ],
  empty: w.noUpgrades,
});
