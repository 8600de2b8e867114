import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { type AlertKind, alertKinds, alertMessageStatuses } from './alert-recipients.inputs.ts';
import { alertRecipientList } from './alert-recipients.reads.ts';
import { summarize } from './alert-texts.rules.ts';
import { type AlertContent, countIn } from './alerts.rules.ts';

const shownMessages = 20;

const Kind = defineEnum('AlertKind', alertKinds, {
  description: 'The kinds of problems that a recipient can be notified about.',
  values: {
    failed_runs: 'Runs that failed, grouped by workflow and error group. Test runs do not count.',
    dead_letters: 'Firings that did not start a run, grouped the same way.',
    disabled_destinations: 'Webhook destinations that are disabled.',
    expiring_credentials: 'Credentials that expire soon, have expired, or were revoked.',
    failing_polls: 'Poll triggers that have failed several times in a row.',
  },
});
const Channel = defineEnum('AlertChannel', ['mail', 'webhook'], { description: 'How a recipient is told.' });
const MessageStatus = defineEnum('AlertMessageStatus', alertMessageStatuses, {
  description: 'Where a message stands.',
  values: {
    pending: 'Waiting for its next attempt. What happens meanwhile is merged into it.',
    sending: 'On its way.',
    sent: 'The mail server, or the URL, took it.',
    failed: 'Given up after the last attempt.',
  },
});

const RecipientPermissions = permissionsType('AlertRecipientPermissions', {
  update: 'updateAlertRecipient',
  delete: 'deleteAlertRecipient',
  test: 'testAlertRecipient',
});

export const AlertMessageRef = builder.prismaObject('AlertMessage', {
  description: 'A message to an alert recipient. Kept for 30 days.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that its job names.' }),
    status: t.field({
      type: MessageStatus,
      description: 'Where it stands.',
      select: { status: true },
      resolve: ({ status }) => status as (typeof alertMessageStatuses)[number],
    }),
    isTest: t.exposeBoolean('isTest', { description: 'Whether somebody asked for it to try the recipient.' }),
    summary: t.string({
      description: 'What it tells, in one line.',
      select: { content: true, isTest: true },
      resolve: ({ content, isTest }) => summarize({ content: content as unknown as AlertContent, isTest }),
    }),
    count: t.int({
      description: 'How many failures it reports.',
      select: { content: true },
      resolve: ({ content }) => countIn(content as unknown as AlertContent),
    }),
    attemptCount: t.exposeInt('attempts', { description: 'How many attempts have begun.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the last attempt failed, or which addresses the mail server refused.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', nullable: true, description: 'When it was taken.' }),
  }),
});

export const AlertRecipientRef = builder.prismaNode('AlertRecipient', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'AlertRecipient', id) }),
  authScopes: { member: true },
  description: 'Somebody who is notified of failures, by mail or by a request to a URL.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that the audit log names.' }),
    name: t.exposeString('name', { description: 'Of the people or the system that are told.' }),
    kinds: t.field({
      type: [Kind],
      description: 'The kinds of problems that it is notified about.',
      select: { kinds: true },
      resolve: ({ kinds }) => kinds as AlertKind[],
    }),
    channel: t.field({
      type: Channel,
      description: 'How it is told.',
      select: { url: true },
      resolve: ({ url }) => (url === null ? ('mail' as const) : ('webhook' as const)),
    }),
    addresses: t.exposeStringList('addresses', { description: 'Mail addresses; empty where a URL is called.' }),
    url: t.exposeString('url', { nullable: true, description: 'What is called; null where mail is sent.' }),
    isSigned: t.boolean({
      description: 'Whether calls of the URL carry signatures.',
      select: { keyVersion: true },
      resolve: ({ keyVersion }) => keyVersion !== null,
    }),
    expiringDays: t.exposeInt('expiringDays', {
      description: 'How many days before a credential expires the recipient is notified.',
    }),
    groupMinutes: t.exposeInt('groupMinutes', {
      description: 'A group of failures is in one message at most within this many minutes.',
    }),
    hourlyLimit: t.exposeInt('hourlyLimit', {
      description: 'The most messages within any hour; what is held back is in the next one.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether it is told.' }),
    waitingCount: t.int({
      description:
        'How many groups of failures wait for the next message, because of the limit or the time between messages.',
      complexity: 5,
      resolve: ({ tenantId, id: recipientId }, _args, context) =>
        inTenant(context).db.alert.count({ where: { tenantId, recipientId, count: { gt: 0 } } }),
    }),
    messages: t.relation('messages', {
      type: AlertMessageRef,
      description: `The last ${shownMessages} messages, newest first.`,
      query: { orderBy: { id: 'desc' }, take: shownMessages },
    }),
    viewerCan: t.field({ type: RecipientPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const RecipientFilterInput = builder.inputType('AlertRecipientFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the name, of an address or of the URL; at most 191 characters.' }),
    active: t.boolean({ description: 'Only those that are told, or only those that are not.' }),
  }),
});

const RecipientOrderInput = orderInput('AlertRecipient', {
  of: 'alert recipients',
  fields: { CREATED_AT: {}, NAME: {} },
});

builder.queryFields((t) => ({
  alertRecipient: t.prismaField({
    type: AlertRecipientRef,
    description: 'An alert recipient of the tenant.',
    nullable: true,
    authScopes: { member: true },
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('AlertRecipient', id) };
      return db.alertRecipient.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  alertRecipients: t.connection(
    {
      type: AlertRecipientRef,
      description: 'The recipients who are notified of failures.',
      authScopes: { member: true },
      args: {
        filter: t.arg({ type: RecipientFilterInput }),
        orderBy: t.arg({ type: RecipientOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'AlertRecipient' });
        return pageInOrder(alertRecipientList, page, {
          filter: { ...filter, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.alertRecipient.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(AlertRecipientRef),
  ),
}));
