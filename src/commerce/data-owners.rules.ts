import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';

type DataOwner = 'erp' | 'shop';

/** True if the actor acts for the ERP: an API key, an import or a workflow. A user acts for the shop. */
export const actsForErp = ({ userId }: Pick<Actor, 'userId'>): boolean => userId === null;

const refusals: Record<DataOwner, string> = {
  erp: 'The ERP owns this field: write it with an API key.',
  shop: 'The shop owns this field: write it as a user.',
};

/** Throws a ValidationError at each given field that `owner` owns if the actor acts for the other owner. */
export function assertOwner(actor: Pick<Actor, 'userId'>, owner: DataOwner, given: object): void {
  if (actsForErp(actor) === (owner === 'erp')) return;
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  throw new ValidationError(Object.fromEntries(named.map(([field]) => [field, [refusals[owner]]])));
}
