import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { enumWord } from '#console/words/enums.ts';
import { Difference } from './difference.tsx';
import { DraftState } from './draft-state.tsx';
import { CreateWorkflow } from './workflow-actions.documents.ts';
import { type Workflow, WorkflowFlow } from './workflow-flow.tsx';
import { callers, revisions, upgrades, workflowRuns } from './workflow-lists.ts';
import { workflowActions } from './workflows.actions.ts';
import { WorkflowPage, Workflows } from './workflows.documents.ts';
import { workflowWords as w } from './workflows.words.ts';

type Row = RowOf<ResultOf<typeof Workflows>, 'workflows'>;

const lastRun = ({ runs }: Row) => runs.edges[0]?.node;

const triggerTypes = ({ triggers }: Pick<Row, 'triggers'>) =>
  [...new Set(triggers.map(({ type }) => enumWord(type)))].join(', ');

const workflowList = list('workflows', Workflows, {
  columns: [
    { key: 'name', label: w.name, show: format.text((workflow) => workflow.name), width: 'minmax(160px, 3fr)' },
    { key: 'active', label: w.active, show: format.state(({ active }) => (active ? 'ACTIVE' : 'INACTIVE')) },
    { key: 'lastRun', label: w.lastRun, show: format.state((workflow) => lastRun(workflow)?.status) },
    { key: 'ran', label: w.ran, show: format.time((workflow) => lastRun(workflow)?.createdAt) },
    { key: 'triggers', label: w.triggers, show: format.text(triggerTypes), width: 'minmax(112px, 2fr)' },
    { key: 'build', label: w.build, show: format.state((workflow) => workflow.bundle.status) },
    { key: 'revision', label: w.revision, show: format.number((workflow) => workflow.revision) },
    { key: 'updated', label: w.updated, show: format.time((workflow) => workflow.updatedAt) },
  ],
  orders: { name: 'NAME', updated: 'UPDATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    { kind: 'flag', key: 'active', label: w.active },
    {
      kind: 'choice',
      key: 'build',
      member: 'bundleStatus',
      label: w.build,
      many: true,
      options: ['READY', 'BUILDING', 'FAILED', 'NONE'],
    },
  ],
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: CreateWorkflow,
      form: { fields: ['name', 'description'] },
      done: w.added,
      opens: (payload) => ({ noun: 'editor', id: (payload['workflow'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

const triggerColumns: readonly Column<Workflow['triggers'][number]>[] = [
  {
    key: 'name',
    label: w.name,
    show: format.link(
      'triggers',
      (trigger) => trigger,
      (trigger) => trigger.name,
    ),
  },
  { key: 'type', label: w.type, show: format.word((trigger) => trigger.type) },
  { key: 'active', label: w.active, show: format.state(({ active }) => (active ? 'ACTIVE' : 'INACTIVE')) },
  { key: 'url', label: w.url, show: format.handle((trigger) => trigger.url) },
  {
    key: 'cron',
    label: w.cron,
    show: format.text(({ schedule }) => schedule && `${schedule.cron} (${schedule.timezone})`),
  },
  { key: 'next', label: w.nextFireAt, show: format.time(({ schedule }) => schedule?.nextFireAt) },
];

const credentialColumns: readonly Column<Workflow['credentials'][number]>[] = [
  { key: 'node', label: w.node, show: format.text((used) => used.nodeId) },
  { key: 'field', label: w.field, show: format.text((used) => used.field) },
  { key: 'type', label: w.credentialType, show: format.text((used) => used.credentialTypeSlug) },
  {
    key: 'credential',
    label: w.credential,
    show: format.link(
      'credentials',
      (used) => used.credential,
      (used) => used.credential?.name,
    ),
  },
];

const workflowPage = detail('workflow', WorkflowPage, {
  title: (workflow) => workflow.name,
  state: ({ active, deletedAt }) => (deletedAt !== null ? 'DELETED' : active ? 'ACTIVE' : 'INACTIVE'),
  facts: [
    { key: 'description', label: w.description, show: format.text((workflow) => workflow.description) },
    { key: 'revision', label: w.revision, show: format.text((workflow) => workflow.revision) },
    { key: 'build', label: w.build, show: format.state((workflow) => workflow.bundle.status) },
    { key: 'builtAt', label: w.builtAt, show: format.exactTime((workflow) => workflow.bundle.builtAt) },
    { key: 'created', label: w.created, show: format.exactTime((workflow) => workflow.createdAt) },
    { key: 'updated', label: w.updated, show: format.exactTime((workflow) => workflow.updatedAt) },
    { key: 'deleted', label: w.deleted, show: format.exactTime((workflow) => workflow.deletedAt) },
  ],
  sections: [
    {
      key: 'build',
      title: w.buildFailed,
      when: ({ bundle }) => bundle.error !== null,
      draw: ({ bundle }) => <pre className="error-text">{bundle.error}</pre>,
    },
    {
      key: 'graph',
      title: w.graph,
      draw: (workflow) => (
        <>
          <WorkflowFlow {...workflow} />
          {workflow.deletedAt === null && (
            <p>
              <ObjectLink noun="editor" id={workflow.id} className="button button-main">
                {w.openEditor}
              </ObjectLink>
            </p>
          )}
        </>
      ),
    },
    {
      key: 'draft',
      title: w.draft,
      when: ({ draft }) => draft !== null,
      draw: ({ draft }) => draft && <DraftState draft={draft} />,
    },
    {
      key: 'triggers',
      title: w.triggers,
      draw: ({ triggers }) =>
        triggers.length === 0 ? (
          <p className="quiet">{w.noTriggers}</p>
        ) : (
          <Table rows={triggers} columns={triggerColumns} label={w.triggers} />
        ),
    },
    {
      key: 'runs',
      title: w.runs,
      draw: ({ id }) => <NestedList screen={workflowRuns} variables={{ id }} label={w.runs} />,
    },
    {
      key: 'history',
      title: w.history,
      draw: ({ id, revision }) => <NestedList key={revision} screen={revisions} variables={{ id }} label={w.history} />,
    },
    {
      key: 'difference',
      title: w.difference,
      when: ({ revision }) => revision > 1,
      draw: ({ id, revision }) => <Difference workflowId={id} latest={revision} />,
    },
    {
      key: 'upgrades',
      title: w.upgrades,
      when: ({ deletedAt }) => deletedAt === null,
      draw: ({ id }) => <NestedList screen={upgrades} variables={{ id }} label={w.upgrades} />,
    },
    {
      key: 'usedBy',
      title: w.usedBy,
      draw: ({ id }) => <NestedList screen={callers} variables={{ id }} label={w.usedBy} />,
    },
    {
      key: 'credentials',
      title: w.credentials,
      when: ({ credentials }) => credentials.length > 0,
      draw: ({ credentials }) => <Table rows={credentials} columns={credentialColumns} label={w.credentials} />,
    },
  ],
  actions: workflowActions,
});

export const workflows: Screens = { list: workflowList, detail: workflowPage };
