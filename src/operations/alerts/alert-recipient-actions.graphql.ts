import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { AlertMessageRef, AlertRecipientRef } from './alert-recipients.graphql.ts';
import { createAlertRecipientInput, updateAlertRecipientInput } from './alert-recipients.inputs.ts';
import {
  createAlertRecipient,
  deleteAlertRecipient,
  testAlertRecipient,
  updateAlertRecipient,
} from './alert-recipients.service.ts';

builder.relayMutationField(
  'createAlertRecipient',
  mutationInput(createAlertRecipientInput),
  {
    description: 'Tells mail addresses, or a URL, of failures from now on, and of what is disabled or expires already.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      alertRecipient: await createAlertRecipient(context, inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({
      alertRecipient: t.field({ type: AlertRecipientRef, resolve: ({ alertRecipient: made }) => made }),
    }),
  },
);

builder.relayMutationField(
  'updateAlertRecipient',
  mutationInput(updateAlertRecipientInput, idField),
  {
    description: 'Changes what is given and leaves the rest; also for what waits to be sent.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      alertRecipient: await updateAlertRecipient(
        context,
        inTenant(context).actor,
        readId('AlertRecipient', id),
        changes,
      ),
    }),
  },
  {
    outputFields: (t) => ({
      alertRecipient: t.field({ type: AlertRecipientRef, resolve: ({ alertRecipient: one }) => one }),
    }),
  },
);

builder.relayMutationField(
  'deleteAlertRecipient',
  { inputFields: idField },
  {
    description: 'Deletes a recipient, what waits for it, and the log of what it was sent.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('AlertRecipient', id);
      await deleteAlertRecipient(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('AlertRecipient', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted recipient.' }),
    }),
  },
);

builder.relayMutationField(
  'testAlertRecipient',
  { inputFields: idField },
  {
    description:
      'Sends a test message and waits until it is taken or refused, as its status then says. It is not retried.',
    authScopes: { admin: true },
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const { actor, db, tenantId } = inTenant(context);
      const key = readId('AlertRecipient', id);
      const messageId = await testAlertRecipient(context, actor, key);
      return {
        alertRecipient: await db.alertRecipient.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: key } } }),
        alertMessage: await db.alertMessage.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: messageId } } }),
      };
    },
  },
  {
    outputFields: (t) => ({
      alertRecipient: t.field({ type: AlertRecipientRef, resolve: ({ alertRecipient }) => alertRecipient }),
      alertMessage: t.field({ type: AlertMessageRef, resolve: ({ alertMessage }) => alertMessage }),
    }),
  },
);
