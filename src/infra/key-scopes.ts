/**
 * Scopes of API keys by name. A slice declares its own beside its scopes:
 * `declare module '#src/infra/key-scopes.ts' { interface KeyScopes { 'orders:read': true } }`.
 */
export interface KeyScopes {}

/** A scope of API keys that a domain declares: its name and what a key that has it may do. */
export interface KeyScope {
  name: string;
  allows: string;
}

/** Declares the scopes of a slice (`x.declarations.ts`); the domain's manifest lists them. */
export const defineScopes = (scopes: Partial<Record<keyof KeyScopes, string>>): KeyScope[] =>
  Object.entries<string>(scopes).map(([name, allows]) => ({ name, allows }));
