/** A kind of resource whose changes are written to the audit log, and the actions on it. */
export interface Audited<Type extends string = string, Action extends string = string> {
  /** The log's `resource_type`, e.g. `workflow`. */
  type: Type;
  actions: readonly Action[];
}

/** Declares an audited resource in its slice (`x.declarations.ts`); the domain's manifest lists it. */
export const defineAudited = <const Type extends string, const Action extends string>(
  audited: Audited<Type, Action>,
): Audited<Type, Action> => audited;
