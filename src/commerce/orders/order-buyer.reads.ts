import { type Address, addressAsData } from '#src/commerce/addresses/addresses.inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderRow } from './orders.reads.ts';

interface BuyerRow {
  customer_number: string;
  name: string;
  payment_terms: string | null;
  addresses: Address[];
  contact: { email: string; first_name: string | null; last_name: string | null } | null;
}

/** The buyer: the organization and its contact, with the members' names of events; null if the order names none. */
export async function findBuyer(
  database: Database,
  tenantId: string,
  { organizationId, contactId }: Pick<OrderRow, 'organizationId' | 'contactId'>,
) {
  if (organizationId === null) return null;
  const [buyer] = await database.tenantQuery<BuyerRow & object>(tenantId, {
    name: 'buyer-of-order',
    text: `SELECT o.customer_number, o.name, o.payment_terms, o.addresses,
        (SELECT json_build_object('email', c.email, 'first_name', c.first_name, 'last_name', c.last_name)
         FROM contacts c WHERE c.tenant_id = o.tenant_id AND c.id = $3) AS contact
      FROM organizations o WHERE o.tenant_id = $1 AND o.id = $2`,
    values: [tenantId, organizationId, contactId],
  });
  return buyer ? { ...buyer, addresses: buyer.addresses.map(addressAsData) } : null;
}
