const key = 'causeway.tenant';

/** The tenant that was open last, for the next visit. Where storage is blocked it is forgotten. */
export const lastTenant = {
  read(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  write(slug: string): void {
    try {
      localStorage.setItem(key, slug);
    } catch {
      // The next visit opens the first tenant.
    }
  },
};
