/**
 * Loads each thing once, by name; a load that failed is forgotten, so that the next call tries again. What has been loaded is marked as
 * React marks it, so that `use` returns it without suspending: what suspends is drawn 300 ms later at the earliest.
 */
export function loadOnce<T>(load: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const loads = new Map<string, Promise<T>>();
  return (name) => {
    const known = loads.get(name);
    if (known) return known;
    const loading = load(name);
    loads.set(name, loading);
    loading.then(
      (value) => void Object.assign(loading, { status: 'fulfilled', value }),
      () => loads.delete(name),
    );
    return loading;
  };
}
