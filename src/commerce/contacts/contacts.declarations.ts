import { z } from 'zod';
import type { Contact } from '#prisma/client.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedContact = defineAudited({
  type: 'contact',
  node: 'Contact',
  actions: ['create', 'update', 'erase'],
});

const contact = z.object({
  id: z.int(),
  organization_id: z.int(),
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: z.string().nullable(),
  approval_limit: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const contactCreated = defineTopic({
  name: 'contact.created',
  when: 'when a contact is made',
  data: contact,
});
export const contactUpdated = defineTopic({
  name: 'contact.updated',
  when: 'when a contact is changed',
  data: contact,
});

/** The contact as REST shows it. */
export const contactData = (row: Contact): z.input<typeof contact> => ({
  id: Number(row.id),
  organization_id: Number(row.organizationId),
  email: row.email,
  first_name: row.firstName,
  last_name: row.lastName,
  role: row.role,
  approval_limit: row.approvalLimit?.toFixed() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
