/** Stands for the tenant in addresses of operators who are in none; no slug is like it. */
export const noTenant = '-';

/** Who reads, and in which tenant. */
export interface Reader {
  tenant: string;
  roles: readonly string[];
}

/** To whom something of the console is offered. */
export interface Offer {
  /** Left out: whoever is in a tenant. */
  readers?: 'operators' | 'everybody';
}

/** Whether the roles are those of the installation alone, which allow nothing in a tenant. */
export const isOperatorAlone = (roles: readonly string[]): boolean =>
  roles.includes('operator') && !roles.includes('user') && !roles.includes('admin');

/** Whether something is offered to somebody. Whoever opens its address all the same is told by the graph what they may not see. */
export function isOffered({ readers }: Offer, { tenant, roles }: Reader): boolean {
  if (readers === 'everybody') return true;
  return readers === 'operators' ? roles.includes('operator') : tenant !== noTenant && !isOperatorAlone(roles);
}
