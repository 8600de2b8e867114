import { NextTimes } from '#console/automation/next-times.tsx';
import { nextTimesWords } from '#console/automation/next-times.words.ts';
import { triggerForm } from '#console/automation/trigger-form.tsx';
import { samplePayload } from '#console/automation/trigger-sample.ts';
import { WebhookCall } from '#console/automation/webhook-call.tsx';
import { webhookCallWords } from '#console/automation/webhook-call.words.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { Firings } from './firings.tsx';
import { Listen } from './listen.tsx';
import { pollFacts } from './poll-facts.ts';
import {
  CreateTrigger,
  DeleteTrigger,
  FireTrigger,
  PollTriggerNow,
  RewindTrigger,
  TriggerPage,
  Triggers,
  UpdateTrigger,
} from './triggers.documents.ts';
import { triggerWords as w } from './triggers.words.ts';

const triggerList = list('triggers', Triggers, {
  columns: [
    { key: 'name', label: w.name, show: format.text((trigger) => trigger.name), width: 'minmax(144px, 2fr)' },
    { key: 'type', label: w.type, show: format.word((trigger) => trigger.type), width: '128px' },
    { key: 'active', label: w.active, show: format.state((trigger) => (trigger.active ? 'ACTIVE' : 'INACTIVE')) },
    {
      key: 'workflow',
      label: w.workflow,
      show: format.text((trigger) => trigger.workflow.name),
      width: 'minmax(144px, 2fr)',
    },
    {
      key: 'handle',
      label: w.handle,
      show: format.handle((trigger) => trigger.handle),
      width: 'minmax(144px, 2fr)',
    },
    { key: 'updated', label: w.updated, show: format.time((trigger) => trigger.updatedAt) },
  ],
  orders: { name: 'NAME', updated: 'UPDATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    {
      kind: 'choice',
      key: 'type',
      label: w.type,
      many: true,
      options: ['WEBHOOK', 'SCHEDULE', 'EVENT', 'POLL', 'MANUAL'],
    },
    { kind: 'flag', key: 'active', label: w.active },
    { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: w.workflow },
  ],
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: CreateTrigger,
      form: {
        fields: ['workflowId', 'name', 'type', 'config', 'active'],
        lookups: { workflowId: 'workflows' },
        initial: () => ({ type: 'WEBHOOK', active: true }),
        asked: (_, { type, config }) => triggerForm(type, config),
      },
      done: w.added,
      opens: (payload) => ({ noun: 'triggers', id: (payload['trigger'] as { id: string }).id }),
    },
  ],
  empty: w.empty,
});

const triggerPage = detail('trigger', TriggerPage, {
  title: (trigger) => trigger.name,
  state: (trigger) => (trigger.active ? 'ACTIVE' : 'INACTIVE'),
  facts: [
    { key: 'type', label: w.type, show: format.word((trigger) => trigger.type) },
    {
      key: 'workflow',
      label: w.workflow,
      show: format.link(
        'workflows',
        (trigger) => trigger.workflow,
        (trigger) => trigger.workflow.name,
      ),
    },
    { key: 'handle', label: w.handle, show: format.handle((trigger) => trigger.handle) },
    { key: 'cron', label: w.cron, show: format.text(({ schedule }) => schedule?.cron) },
    { key: 'timezone', label: w.timezone, show: format.text(({ schedule }) => schedule?.timezone) },
    { key: 'misfire', label: w.misfire, show: format.word(({ schedule }) => schedule?.misfire) },
    {
      key: 'lastRun',
      label: w.lastRun,
      show: format.link(
        'runs',
        ({ schedule }) => schedule?.lastRun,
        ({ schedule }) => schedule?.lastRun?.databaseId,
      ),
    },
    ...pollFacts,
    { key: 'created', label: w.created, show: format.exactTime((trigger) => trigger.createdAt) },
    { key: 'updated', label: w.updated, show: format.exactTime((trigger) => trigger.updatedAt) },
  ],
  sections: [
    {
      key: 'call',
      title: webhookCallWords.title,
      when: ({ url }) => url !== null,
      draw: (trigger) => <WebhookCall trigger={trigger} />,
    },
    {
      key: 'times',
      title: nextTimesWords.title,
      when: ({ schedule, active }) => schedule !== null && active,
      draw: ({ schedule }) => schedule && <NextTimes cron={schedule.cron} timezone={schedule.timezone} count={10} />,
    },
    { key: 'config', title: w.config, draw: (trigger) => <JsonTree value={trigger.config} /> },
    { key: 'firings', title: w.firings, draw: (trigger) => <Firings triggerId={trigger.id} /> },
    { key: 'next', title: w.next, draw: (trigger) => <Listen triggerId={trigger.id} /> },
  ],
  actions: [
    {
      key: 'fire',
      label: w.fire,
      document: FireTrigger,
      allowed: ({ viewerCan, type }) => viewerCan.fire && type !== 'EVENT',
      input: ({ workflow, handle }) => ({ workflowId: workflow.id, triggerHandle: handle }),
      form: { fields: ['payload'], initial: (trigger) => ({ payload: samplePayload(trigger) }) },
      done: w.fired,
      opens: (payload) => ({ noun: 'runs', id: (payload['run'] as { id: string }).id }),
    },
    {
      key: 'poll',
      label: w.pollNow,
      document: PollTriggerNow,
      allowed: ({ viewerCan, poll, active }) => poll !== null && active && viewerCan.poll,
      done: w.pollAsked,
    },
    {
      key: 'rewind',
      label: w.rewind,
      document: RewindTrigger,
      allowed: ({ viewerCan, poll }) => poll !== null && viewerCan.rewind,
      confirm: () => w.rewindAbout,
      form: {
        fields: ['to', 'forget'],
        initial: ({ poll }) => ({ to: poll?.watermark ?? '' }),
        asked: () => ({
          to: { label: w.watermark, help: w.rewindTo },
          forget: { label: w.forget, help: w.forgetHelp },
        }),
      },
      done: w.rewound,
    },
    {
      key: 'edit',
      saves: true,
      label: w.edit,
      document: UpdateTrigger,
      allowed: (trigger) => trigger.viewerCan.update,
      form: {
        fields: ['name', 'config'],
        initial: ({ name, config }) => ({ name, config }),
        asked: ({ type }, { config }) => triggerForm(type, config),
      },
      done: w.saved,
    },
    {
      key: 'on',
      label: w.switchOn,
      document: UpdateTrigger,
      allowed: ({ active, viewerCan }) => !active && viewerCan.update,
      input: ({ id }) => ({ id, active: true }),
      confirm: () => w.switchOnAbout,
      done: w.switchedOn,
    },
    {
      key: 'off',
      label: w.switchOff,
      document: UpdateTrigger,
      allowed: ({ active, viewerCan }) => active && viewerCan.update,
      input: ({ id }) => ({ id, active: false }),
      confirm: () => w.switchOffConfirm,
      done: w.switchedOff,
    },
    {
      key: 'delete',
      label: w.remove,
      document: DeleteTrigger,
      allowed: (trigger) => trigger.viewerCan.delete,
      confirm: (trigger) => w.removeConfirm(trigger.name),
      isDanger: true,
      done: w.removed,
    },
  ],
});

export const triggers: Screens = { list: triggerList, detail: triggerPage };
